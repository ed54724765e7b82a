import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WorkExplanation } from '@perigee/scheduling/explain/explain-work';
import type { World } from '@perigee/scheduling/plan/world';
import { obstaclesOf } from '@perigee/scheduling/suggest/obstacles-of';
import { suggest } from '@perigee/scheduling/suggest/suggest';
import { ExactRoom } from '../../src/placement/scheduler/estimate/exact-room.ts';
import type { Obstacle } from '../../src/suggest/obstacle.ts';
import { AGGREGATED, deployment, policy, settled, world } from '../plan/plan-world.ts';

const WEB = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' };
const IN_M1 = { clusterAffinity: { clusterNames: ['m1'] } };

const told = (before: World, obstacles: readonly Obstacle[]): readonly string[] =>
  suggest(before, WEB, { most: 9, obstacles }).map(({ changes }) =>
    changes.map(({ text }) => text).join(' and '),
  );

/** Work in m1, which has a node with these labels and plenty of room, and where so many pods wait. */
const onNodes = (labels: { readonly [key: string]: string }, nodeSelector: object): World => {
  const web = deployment('web', 4);
  const { template } = web.spec as { readonly template: { readonly spec: object } };
  const spec = { replicas: 4, template: { spec: { ...template.spec, nodeSelector } } };
  const templates = [{ ...web, spec } as never];
  const seen = settled(world({ templates, policies: [policy({ ...AGGREGATED, ...IN_M1 })] }));
  const features = { labels, taints: [], isUnschedulable: false };
  const node = { count: 1, free: new Map([['cpu', 90_000]]), pods: 110, features };
  const item = { clusterName: 'm1', applied: true, status: { replicas: 4 } };
  const bindings = seen.bindings.map(
    (one) => ({ ...one, status: { ...one.status, aggregatedStatus: [item] } }) as typeof one,
  );
  return {
    ...seen,
    bindings,
    spaces: new Map([['m1', { free: new ExactRoom([node], new Set()) }]]),
  };
};

describe('pods that wait for a node', () => {
  const cases: readonly (readonly [string, { [key: string]: string }, object, string])[] = [
    [
      'a misspelt value of their node selector',
      { disk: 'fast' },
      { disk: 'fats' },
      'ask for nodes with disk=fast instead of disk=fats, which no node has (nodeSelector)',
    ],
    [
      'a label that is named like a property of objects',
      {},
      { constructor: 'mine' },
      'do not ask for nodes with constructor=mine (nodeSelector), if the pods can do without',
    ],
  ];
  for (const [what, labels, nodeSelector, text] of cases) {
    it(`are helped against ${what}`, () => {
      const found = told(onNodes(labels, nodeSelector), [{ kind: 'nodes', cluster: 'm1' }]);
      assert.ok(found.includes(text), found.join('\n'));
    });
  }
});

/** Work in m1 with an override policy that changes its image, and in m2 what is not there. */
const overridden = (): World => {
  const imageOverrider = [{ component: 'Registry', operator: 'add', value: 'mirror' }];
  const plaintext = [{ path: '/spec/none/here', operator: 'replace', value: 1 }];
  const rule = (cluster: string, overriders: object) => ({
    targetCluster: { clusterNames: [cluster] },
    overriders,
  });
  const override = {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'OverridePolicy',
    metadata: { namespace: 'default', name: 'mirror' },
    spec: { overrideRules: [rule('m1', { imageOverrider }), rule('m2', { plaintext })] },
  };
  const policies = [policy({ ...AGGREGATED, ...IN_M1 })];
  const templates = [deployment('web', 4)];
  return settled(world({ templates, policies, overrides: [override as never] }));
};

/** The obstacles of work that m1 refuses in these words. */
const refusedWith = (said: string): readonly Obstacle[] => {
  const base = { stage: 'work', severity: 'degrades', by: 'member', cluster: 'm1' } as const;
  const message = `m1 did not take it: ${said}`;
  const finding = { ...base, reason: 'ApplyFailed', message, details: { said } } as const;
  const told = { findings: [finding] } as never as WorkExplanation;
  return obstaclesOf(told, { members: new Map() } as never) ?? [];
};

describe('an override policy is suggested to be taken back', () => {
  const TAKE_BACK = 'take the imageOverrider out of the override policy mirror';
  const refusals: readonly (readonly [words: string, isBlamed: boolean])[] = [
    ['Deployment.apps "web" is invalid: spec.template: Required value', true],
    ['Deployment in version "v1" cannot be handled as a Deployment: quantities must match', true],
    ['strict decoding error: unknown field "spec.imagee"', true],
    ['admission webhook "a.b.c" denied the request: cost-center label missing', false],
    ['admission webhook "a.b.c" denied the request: the team x is invalid: no such team', false],
    ['deployments.apps "web" is forbidden: User "perigee" cannot create it', false],
    ['deployments.apps "web" is forbidden: exceeded quota: small', false],
  ];
  for (const [words, isBlamed] of refusals) {
    it(`${isBlamed ? 'when' : 'not when'} a member says: ${words}`, () => {
      assert.deepEqual(told(overridden(), refusedWith(words)), isBlamed ? [TAKE_BACK] : []);
    });
  }

  it('not for a cluster that the work has left, nor does it matter that it fails there', () => {
    assert.deepEqual(told(overridden(), [{ kind: 'override', refusedIn: 'm2' }]), []);
  });
});
