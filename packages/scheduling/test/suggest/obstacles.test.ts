import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { World } from '@perigee/scheduling/plan/world';
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
  const templates = [{ ...web, spec } as typeof web];
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
