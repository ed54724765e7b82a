import { Cluster } from '@perigee/api/kinds/globalscheduler/cluster';
import { Scheduler } from '@perigee/api/kinds/globalscheduler/scheduler';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { isNotFound } from '@perigee/kube/errors';
import type {
  AssignmentPlan,
  ClusterChange,
  SchedulerChange,
} from '@perigee/scheduling/sharding/plan-assignment';

const FIELD_MANAGER = 'perigee-cluster-assignment';
/** So many records of clusters are written at the same time. */
const AT_ONCE = 64;

/** A merge patch that leaves nothing of the old value. */
const replacing = (old: object | undefined, next: object): object => ({
  ...Object.fromEntries(Object.keys(old ?? {}).map((key) => [key, null])),
  ...next,
});

const writeScheduler = async (
  { scheduler, desired, union, epoch }: SchedulerChange,
  { client, signal }: ReconcileContext,
): Promise<void> => {
  const { name, resourceVersion } = scheduler.metadata;
  const status = {
    epoch,
    clusterCount: desired.length,
    clusters: { desired },
    union: replacing(scheduler.status?.union, union),
  };
  await client.patch(
    Scheduler,
    { name },
    { type: 'merge', body: { metadata: { resourceVersion }, status } },
    { subresource: 'status', fieldManager: FIELD_MANAGER, signal },
  );
};

const writeCluster = async (
  { cluster, home, epoch }: ClusterChange,
  { client, events, signal }: ReconcileContext,
): Promise<void> => {
  const { name, resourceVersion } = cluster.metadata;
  const status = { homeScheduler: home ?? null, bindingEpoch: epoch };
  try {
    await client.patch(
      Cluster,
      { name },
      { type: 'merge', body: { metadata: { resourceVersion }, status } },
      { subresource: 'status', fieldManager: FIELD_MANAGER, signal },
    );
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  const before = cluster.status?.homeScheduler;
  if (before === undefined) return;
  events.normal(cluster, 'HomeSchedulerChanged', `from ${before} to ${home ?? 'nobody'}`);
};

/**
 * Writes what changed: those who gain clusters before those who lose them, then the clusters themselves. Each
 * write carries the version that it was decided on; whoever decided on an old one is refused and looks again.
 */
export const writeAssignment = async (
  { schedulers, clusters }: AssignmentPlan,
  context: ReconcileContext,
): Promise<void> => {
  for (const change of schedulers) await writeScheduler(change, context);
  for (let at = 0; at < clusters.length; at += AT_ONCE) {
    const batch = clusters.slice(at, at + AT_ONCE);
    const written = await Promise.allSettled(batch.map((change) => writeCluster(change, context)));
    const failed = written.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }
};
