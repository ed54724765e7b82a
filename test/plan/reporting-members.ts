import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { isConditionTrue } from '@perigee/api/values/conditions';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { refOf } from '@perigee/kube/client/ref-of';
import type { Clock } from '@perigee/kube/clock/clock';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';

const ALL = { name: 'all' };
const REPORT_MS = 1000;

/** On a cluster: how many thousandths of a processor other work has left. */
export const FREED = 'example.com/freed';

const milliOf = (cpu: unknown): number => {
  const text = String(cpu ?? 0);
  return text.endsWith('m') ? Number(text.slice(0, -1)) : Number(text) * 1000;
};

/** Replicas that a cluster counts: those that are placed there, and those that are being evicted. */
const replicasIn = ({ spec }: ResourceBinding, name: string): number =>
  [
    ...(spec.clusters ?? []).filter((one) => one.name === name),
    ...(spec.gracefulEvictionTasks ?? []).filter(({ fromCluster }) => fromCluster === name),
  ].reduce((sum, { replicas = 0 }) => sum + replicas, 0);

const reportClusters = async ({ cache, client }: ReconcileContext): Promise<void> => {
  const bindings = cache(ResourceBinding).list();
  for (const cluster of cache(MemberCluster).list()) {
    const { name } = cluster.metadata;
    // Work that is none of ours has ended.
    let cpu = -Number(cluster.metadata.annotations?.[FREED] ?? 0);
    let pods = 0;
    for (const binding of bindings) {
      const count = replicasIn(binding, name);
      pods += count;
      cpu += count * milliOf(binding.spec.replicaRequirements?.resourceRequest?.cpu);
    }
    const allocated = { cpu: `${cpu}m`, pods: String(pods) };
    const { resourceSummary } = cluster.status ?? {};
    if (JSON.stringify(resourceSummary?.allocated) === JSON.stringify(allocated)) continue;
    const body = { status: { resourceSummary: { ...resourceSummary, allocated } } };
    await client.patch(MemberCluster, { name }, { type: 'merge', body }, { subresource: 'status' });
  }
};

/** Work is healthy in every member that answers. */
const reportWork = async (
  binding: ResourceBinding,
  { cache, client }: ReconcileContext,
): Promise<void> => {
  const oldStatuses = new Map(
    (binding.status?.aggregatedStatus ?? []).map((one) => [one.clusterName, one]),
  );
  const leaving = (binding.spec.gracefulEvictionTasks ?? []).map(({ fromCluster }) => fromCluster);
  const reports = (binding.spec.clusters ?? []).flatMap(({ name, replicas }) => {
    const before = oldStatuses.get(name);
    oldStatuses.delete(name);
    const cluster = cache(MemberCluster).get({ name });
    if (!isConditionTrue(cluster?.status?.conditions, 'Ready')) {
      return before === undefined ? [] : [before];
    }
    const status = replicas === undefined ? {} : { replicas, readyReplicas: replicas };
    return [{ clusterName: name, applied: true, health: 'Healthy' as const, status }];
  });
  const rest = [...oldStatuses.values()].filter(({ clusterName }) => leaving.includes(clusterName));
  const aggregatedStatus = [...reports, ...rest];
  if (JSON.stringify(aggregatedStatus) === JSON.stringify(binding.status?.aggregatedStatus ?? [])) {
    return;
  }
  const present = await client.get(ResourceBinding, refOf(binding));
  await patchStatus(client, ResourceBinding, present, { aggregatedStatus } as never);
};

/** Stands for all members: a second after work was placed they have it, and tell what they have left. */
export const reportingMembers = (clock: Pick<Clock, 'now'>): ControllerDefinition => {
  let dueAt: number | undefined;
  return defineController({
    name: 'reporting-members',
    watches: [
      watch(ResourceBinding, {
        when: (now, before) => now?.metadata.generation !== before?.metadata.generation,
        map: () => [ALL],
      }),
      watch(MemberCluster, {
        when: (now, before) =>
          now?.metadata.annotations?.[FREED] !== before?.metadata.annotations?.[FREED],
        map: () => [ALL],
      }),
    ],
    async reconcile(_, context) {
      const now = clock.now();
      dueAt ??= now + REPORT_MS;
      if (now < dueAt) return { requeueAfterMs: dueAt - now };
      dueAt = undefined;
      await reportClusters(context);
      for (const binding of context.cache(ResourceBinding).list())
        await reportWork(binding, context);
      return undefined;
    },
  });
};
