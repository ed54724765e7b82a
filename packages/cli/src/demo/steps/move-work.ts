import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { readyReplicas as readyReplicasOf } from '@perigee/scheduling/explain/cluster-view';
import type { DemoStep } from '../demo-step.ts';
import type { Stage } from '../stage.ts';
import { areReady } from './are-ready.ts';

const REPLICAS = 12;
const LOST = 'member2';
const CLUSTER = ['clusters.cluster.karmada.io', LOST];
const FAULT = 'member.perigee.io/fault';

const readyReplicas = async ({ client }: Stage): Promise<number> => {
  const shop = await client.get(Deployment, { namespace: 'default', name: 'shop' });
  return shop.status?.readyReplicas ?? 0;
};

const readBinding = async ({ client }: Stage): Promise<ResourceBinding | undefined> => {
  const { items } = await client.list(ResourceBinding, { namespace: 'default' });
  return items.find(({ spec }) => spec.resource.name === 'shop');
};

const clustersOf = async (stage: Stage): Promise<readonly string[]> => {
  const binding = await readBinding(stage);
  return (binding?.spec.clusters ?? []).map(({ name }) => name);
};

/** Reads the binding: the template's status still contains the last known replicas of the lost cluster. */
const hasMoved = async (stage: Stage): Promise<boolean> => {
  const binding = await readBinding(stage);
  if ((binding?.spec.gracefulEvictionTasks ?? []).length > 0) return false;
  const parts = binding?.status?.aggregatedStatus ?? [];
  const ready = parts
    .filter(({ clusterName }) => clusterName !== LOST)
    .map((part) => readyReplicasOf(part) ?? 0);
  return ready.reduce((sum, replicas) => sum + replicas, 0) === REPLICAS;
};

const taints = (list: readonly object[]): string => JSON.stringify({ spec: { taints: list } });

export const placeWork: DemoStep = {
  title: 'Divide a service over all clusters',
  stages: [4],
  why: 'A plain Deployment, and a policy that says which clusters may run it and how its replicas are divided. Each cluster gets its part, and what they report is added up.',
  async play(stage) {
    await stage.type('kubectl', 'apply', '-f', 'examples/demo/shop.yaml');
    await stage.until(
      `all ${REPLICAS} replicas are ready, divided over five clusters`,
      async () =>
        (await readyReplicas(stage)) === REPLICAS && (await clustersOf(stage)).length === 5,
    );
    await stage.type('perigee', 'explain', 'deployment/shop');
  },
};

export const loseCluster: DemoStep = {
  title: 'A cluster is lost, and its work moves',
  stages: [4],
  why: `The control plane can no longer reach ${LOST}, and gives it no new work. Whether what runs there shall move is for you to say: with a taint NoExecute it does.`,
  async play(stage) {
    await stage.type('kubectl', 'annotate', ...CLUSTER, `${FAULT}=unreachable`);
    const patch = taints([{ key: 'lost', effect: 'NoExecute' }]);
    await stage.type('kubectl', 'patch', ...CLUSTER, '--type=merge', '-p', patch);
    await stage.until(
      `${LOST} has none of it, and all ${REPLICAS} replicas are ready elsewhere`,
      () => hasMoved(stage),
    );
    await stage.type('perigee', 'explain', 'deployment/shop');
  },
};

export const returnCluster: DemoStep = {
  title: 'It returns, and a trigger brings work back',
  stages: [4],
  why: 'A cluster that comes back stays empty until somebody asks: work that runs is not moved for nothing. A ScheduleTrigger asks, moves what gains by it, and tells what went from where to where.',
  async play(stage) {
    await stage.type('kubectl', 'annotate', ...CLUSTER, `${FAULT}-`);
    await stage.type('kubectl', 'patch', ...CLUSTER, '--type=merge', '-p', taints([]));
    await stage.until(`${LOST} is Ready again`, () => areReady(stage.client, [LOST]));
    await stage.type('perigee', 'failback', LOST, '--wait');
    await stage.until(
      `${LOST} has a part of it again, and all ${REPLICAS} replicas are ready`,
      async () =>
        (await clustersOf(stage)).includes(LOST) && (await readyReplicas(stage)) === REPLICAS,
    );
    await stage.type('perigee', 'status');
  },
};
