import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plan } from '@perigee/scheduling/plan/plan';
import { suggest } from '@perigee/scheduling/suggest/suggest';
import { ExactRoom } from '../../src/placement/scheduler/estimate/exact-room.ts';
import { AGGREGATED, deployment, policy, settled, world } from './plan-world.ts';

const WEB = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' };

/** An override policy for the Deployment "web". */
const override = (overriders: object) =>
  ({
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'OverridePolicy',
    metadata: { namespace: 'default', name: 'mirror' },
    spec: {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }],
      overrideRules: [{ overriders }],
    },
  }) as never;

const POD = '/spec/template/spec';
const REQUESTS = `${POD}/containers/0/resources/requests/cpu`;
const HARD = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [null] } };

/** Overrides of the pods of "web" that no member would accept, or that would have no effect. */
const NONSENSE: readonly (readonly [what: string, edit: object])[] = [
  ['a quantity that is none', { operator: 'replace', path: REQUESTS, value: 'lots' }],
  ['no node selector', { operator: 'add', path: `${POD}/nodeSelector`, value: null }],
  [
    'a toleration that is none',
    { operator: 'add', path: `${POD}/tolerations`, value: [null, { operator: 'Exists' }] },
  ],
  [
    'an affinity that is none',
    { operator: 'add', path: `${POD}/affinity`, value: { nodeAffinity: HARD } },
  ],
];

const before = world({
  policies: [policy(AGGREGATED)],
  templates: [deployment('web', 4), deployment('api', 3)],
});

describe('an override policy', () => {
  it('is told where it makes another object of work', () => {
    const object = override({
      imageOverrider: [{ component: 'Registry', operator: 'add', value: 'mirror' }],
    });
    const { work } = plan(settled(before), [{ kind: 'put', of: 'override', object }]);
    assert.deepEqual(
      work.map(({ name, action, reason, message }) => [name, action, reason, message]),
      [['web', 'update', 'OverrideChanged', 'it becomes another object in m1']],
    );
  });

  for (const [what, edit] of NONSENSE) {
    it(`that writes ${what} ends neither plans nor suggestions`, () => {
      const node = { count: 1, free: new Map([['cpu', 5000]]), pods: 110 };
      const spaces = new Map([['m1', { free: new ExactRoom([node], new Set()) }]]);
      const seen = settled({ ...before, overrides: [override({ plaintext: [edit] })] });
      const object = deployment('web', 6);
      const { work } = plan({ ...seen, spaces }, [{ kind: 'put', of: 'template', object }]);
      assert.deepEqual(
        work.map(({ name, action }) => [name, action]),
        [['web', 'scale']],
      );
      const elsewhere = policy({ ...AGGREGATED, clusterAffinity: { clusterNames: ['m11'] } });
      const stuck = settled({ ...seen, bindings: [], policies: [elsewhere] });
      const [first] = suggest({ ...stuck, spaces }, WEB);
      assert.deepEqual(
        first?.changes.map(({ reason }) => reason),
        ['FixClusterName'],
      );
    });
  }
});
