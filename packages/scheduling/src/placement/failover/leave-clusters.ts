import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { GracefulEvictionTask } from '@perigee/api/kinds/placement/graceful-eviction-task';
import type { EvictionReason } from '@perigee/api/reasons/eviction-reasons';
import { runsToCompletion } from '../../interpreter/completion-checks.ts';
import { type EvictionCause, evictCluster, placedOf } from './evict-cluster.ts';
import { preservedState } from './preserved-state.ts';

/** Current clusters that are not among the next. */
const leftClusters = ({ clusters = [] }: BindingSpec, next: readonly string[]) =>
  clusters.map(({ name }) => name).filter((name) => !next.includes(name));

/**
 * The eviction tasks of work that leaves clusters. Old copies stay until the new ones are healthy.
 */
const leave = (
  spec: BindingSpec,
  status: BindingStatus | undefined,
  fromClusters: readonly string[],
  cause: Omit<EvictionCause, 'purgeMode'>,
): readonly GracefulEvictionTask[] => {
  const before = (spec.clusters ?? []).map(({ name }) => name);
  const { cluster: failover } = spec.failover ?? {};
  // Work that must not run twice stops here before it starts elsewhere.
  const usual = runsToCompletion(spec.resource) ? 'Directly' : 'Gracefully';
  return fromClusters.reduce((placement, name) => {
    const state = preservedState(failover?.statePreservation, status, name);
    return evictCluster(placement, name, {
      purgeMode: failover?.purgeMode ?? usual,
      ...cause,
      ...(state === undefined
        ? {}
        : { preservedLabelState: state, clustersBeforeFailover: before }),
    });
  }, placedOf(spec)).gracefulEvictionTasks;
};

/**
 * The eviction tasks of work that was rescheduled because a cluster is being removed. Returns the
 * same list if nothing leaves. Throws an `EvictionError` if state to preserve cannot be read.
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

/**
 * True for a task of an old copy that only waits for its replacement near the data: it can still be
 * cancelled.
 */
export const leavesForData = ({ reason, purgeMode }: GracefulEvictionTask): boolean =>
  reason === DATA_NOT_THERE && purgeMode !== 'Directly';

/**
 * As `leaveGoing`, for clusters that lost the work's data. If the data returns and the work is
 * scheduled there again, the task is cancelled.
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
