import { OverridePolicy } from '@perigee/api/kinds/placement/override-policy';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import type { Situation } from '../situation.ts';
import { FLEET, type SituationWorld } from '../situation-world.ts';
import { addDeployment, addPolicy, on } from '../work-objects.ts';

const running = async (world: SituationWorld, ...clusters: readonly string[]): Promise<void> => {
  await addDeployment(world);
  await addPolicy(world, on(...clusters));
  await world.settle(10_000);
};

const podSpec = (spec: object) => ({ spec: { template: { spec } } });

const override = (clusterName: string, change: object) => ({
  targetCluster: { clusterNames: [clusterName] },
  overriders: { plaintext: [change] },
});

/** Work that ran, and whose newest version does not: the earlier one goes on. */
export const ROLLOUTS: readonly Situation[] = [
  {
    name: 'rollout-to-no-node',
    make: async (world) => {
      await running(world, 'member1');
      await world.patch(Deployment, 'web', podSpec({ nodeSelector: { disk: 'ssd' } }));
    },
    reason: 'PodUnschedulable',
    summary: /^2 of 2 replicas ready, but 1 pod in member1: no node takes it: .*affinity\/selector/,
    mend: { first: 'FixNodeSelector' },
  },
  {
    name: 'rollout-with-override-refused-and-no-node',
    make: async (world) => {
      await running(world, 'member1', 'member3');
      await world.create(OverridePolicy, 'change', {
        spec: {
          resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }],
          overrideRules: [
            override('member1', { path: '/spec/none/here', operator: 'replace', value: 1 }),
            override('member3', {
              path: '/spec/template/spec/nodeSelector',
              operator: 'add',
              value: { disk: 'ssd' },
            }),
          ],
        },
      });
      await world.patch(Deployment, 'web', podSpec({ terminationGracePeriodSeconds: 5 }));
    },
    reason: 'OverrideRefused',
    summary: /^4 of 4 replicas ready, but member1: override policy change: there is nothing at/,
    mend: { chain: ['FixOverride', 'FixOverride'] },
  },
  {
    name: 'rollout-held-and-cluster-lost',
    make: async (world) => {
      await addDeployment(world);
      const clusterTolerations = [{ key: 'cluster.karmada.io/not-ready', operator: 'Exists' }];
      await addPolicy(world, { ...on('member1', FLEET.lost), clusterTolerations });
      await world.settle(10_000);
      await world.create(OverridePolicy, 'change', {
        spec: {
          resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }],
          overrideRules: [
            override('member1', { path: '/spec/none/here', operator: 'replace', value: 1 }),
          ],
        },
      });
    },
    reason: 'OverrideRefused',
    // The cause for two missing replicas comes first, and not the first fault on the way.
    summary: /^2 of 4 replicas ready: member4 is not reachable since /,
    mend: { chain: ['FixOverride', 'AvoidCluster'] },
  },
];
