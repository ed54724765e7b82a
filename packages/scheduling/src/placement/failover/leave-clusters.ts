import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { GracefulEvictionTask } from '@perigee/api/kinds/placement/graceful-eviction-task';
import type { EvictionReason } from '@perigee/api/reasons/eviction-reasons';
import { runsToCompletion } from '../../interpreter/finished.ts';
import { type EvictionCause, evictCluster, placedOf } from './evict-cluster.ts';
import { preservedState } from './preserved-state.ts';

/** The clusters that work is in and is not to be in next. */
const leftClusters = ({ clusters = [] }: BindingSpec, next: readonly string[]) =>
  clusters.map(({ name }) => name).filter((name) => !next.includes(name));

/** The eviction tasks of work that leaves clusters. Its old copies stay until the new ones are healthy. */
const leave = (
  spec: BindingSpec,
  status: BindingStatus | undefined,
  left: readonly string[],
  cause: Omit<EvictionCause, 'purgeMode'>,
): readonly GracefulEvictionTask[] => {
  const before = (spec.clusters ?? []).map(({ name }) => name);
  const { cluster: wishes } = spec.failover ?? {};
  // What would be done twice has to stop here before it begins there.
  const usual = runsToCompletion(spec.resource) ? 'Directly' : 'Gracefully';
  return left.reduce((placed, name) => {
    const state = preservedState(wishes?.statePreservation, status, name);
    return evictCluster(placed, name, {
      purgeMode: wishes?.purgeMode ?? usual,
      ...cause,
      ...(state === undefined
        ? {}
        : { preservedLabelState: state, clustersBeforeFailover: before }),
    });
  }, placedOf(spec)).gracefulEvictionTasks;
};

/**
 * The eviction tasks of work that was placed anew because a cluster of its is to go. The very same when nothing
 * leaves. Throws an `EvictionError` for work that takes state along which nobody knows.
 */
export const leaveGoing = (
  spec: BindingSpec,
  status: BindingStatus | undefined,
  next: readonly string[],
  isGoing: (cluster: string) => boolean,
): readonly GracefulEvictionTask[] =>
  leave(spec, status, leftClusters(spec, next).filter(isGoing), {
    reason: 'ClusterRemoved',
    message: 'the cluster is being removed',
    producer: 'ClusterDrain',
  });

const DATA_NOT_THERE = 'DataNotThere' satisfies EvictionReason;

/** Whether an old copy only waits for its replacement at the data: until then it can be kept. */
export const leavesForData = ({ reason, purgeMode }: GracefulEvictionTask): boolean =>
  reason === DATA_NOT_THERE && purgeMode !== 'Directly';

/**
 * The same for work whose data is not in a cluster of its. An old copy whose data came back before it was gone
 * stays, if the work is to be there again.
 */
export const leaveDataless = (
  spec: BindingSpec,
  status: BindingStatus | undefined,
  next: readonly string[],
  lacksData: (cluster: string) => boolean,
): readonly GracefulEvictionTask[] =>
  leave(spec, status, leftClusters(spec, next).filter(lacksData), {
    reason: DATA_NOT_THERE,
    message: 'the data that the work claims is not there',
    producer: 'Scheduler',
  }).filter((task) => !leavesForData(task) || !next.includes(task.fromCluster));
