import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import type { DemoStep } from '../demo-step.ts';
import type { Stage } from '../stage.ts';

const REPLICAS = 12;
const LOST = 'member2';

const readyReplicas = async ({ client }: Stage): Promise<number> => {
  const shop = await client.get(Deployment, { namespace: 'default', name: 'shop' });
  return shop.status?.readyReplicas ?? 0;
};

const clustersOf = async ({ client }: Stage): Promise<readonly string[]> => {
  const { items } = await client.list(ResourceBinding, { namespace: 'default' });
  const binding = items.find(({ spec }) => spec.resource.name === 'shop');
  return (binding?.spec.clusters ?? []).map(({ name }) => name);
};

export const placeWork: DemoStep = {
  title: 'Apply a workload and a policy',
  why: 'The workload is a plain Deployment. The policy says which clusters may run it, and how its replicas are divided. Perigee sends each cluster its part, and adds up what they report.',
  async play(stage) {
    await stage.type('kubectl', 'apply', '-f', 'examples/demo/shop.yaml');
    await stage.until(
      `all ${REPLICAS} replicas are ready, divided over five clusters`,
      async () =>
        (await readyReplicas(stage)) === REPLICAS && (await clustersOf(stage)).length === 5,
    );
    await stage.type('perigee', 'get', 'deployment', 'shop');
    await stage.type('perigee', 'list', 'works', '-A');
  },
};

export const explainPlacement: DemoStep = {
  title: 'Ask why it is there',
  why: 'Every decision can be explained. The command tells how the work is, and then, with the very functions of the scheduler, how it would be decided now, and why.',
  async play(stage) {
    await stage.type('perigee', 'explain', 'deployment/shop', '--decision');
  },
};

export const loseCluster: DemoStep = {
  title: 'Lose a cluster, and see its work move',
  why: `The control plane can no longer reach ${LOST}, and gives it no new work. Whether what runs there shall move is for you to say: with a taint NoExecute it does.`,
  async play(stage) {
    const cluster = ['clusters.cluster.karmada.io', LOST];
    await stage.type('kubectl', 'annotate', ...cluster, 'member.perigee.io/fault=unreachable');
    const taint = '{"spec":{"taints":[{"key":"lost","effect":"NoExecute"}]}}';
    await stage.type('kubectl', 'patch', ...cluster, '--type=merge', '-p', taint);
    await stage.until(
      `${LOST} has none of it, and all ${REPLICAS} replicas are ready elsewhere`,
      async () =>
        !(await clustersOf(stage)).includes(LOST) && (await readyReplicas(stage)) === REPLICAS,
    );
    await stage.type('perigee', 'explain', 'deployment/shop');
  },
};
