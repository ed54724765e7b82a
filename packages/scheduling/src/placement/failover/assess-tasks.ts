import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { GracefulEvictionTask } from '@perigee/api/kinds/placement/graceful-eviction-task';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import { present } from '@perigee/schema/present';
import { formatTime, parseTime } from '@perigee/schema/values/time';

/** A binding's evictions, with the state that decides about them. */
export interface EvictionState {
  readonly tasks: readonly GracefulEvictionTask[];
  /** The current targets of the work. */
  readonly clusters: readonly TargetCluster[];
  readonly aggregatedStatus: BindingStatus['aggregatedStatus'];
  /** True if the scheduler has processed the current generation. */
  readonly isScheduled: boolean;
}

export interface Assessment {
  readonly openTasks: readonly GracefulEvictionTask[];
  /** The clusters whose evictions ended. */
  readonly endedClusters: readonly string[];
  /** The time until the first kept task times out; absent if none does. */
  readonly nextMs?: number;
}

/** The ready replicas in a status; undefined for work that does not count replicas. */
const readyIn = (status: unknown): number | undefined => {
  const { replicas, readyReplicas } = (status ?? {}) as { readonly [field: string]: unknown };
  if (typeof readyReplicas === 'number') return readyReplicas;
  return typeof replicas === 'number' ? 0 : undefined;
};

/**
 * True if the replacement is healthy in every target. A status from before the last decision does
 * not count, nor does health with too few ready replicas.
 */
const isReplaced = ({ clusters, aggregatedStatus = [], isScheduled }: EvictionState): boolean =>
  isScheduled &&
  clusters.every(({ name, replicas = 0 }) => {
    const item = aggregatedStatus.find(({ clusterName }) => clusterName === name);
    return item?.health === 'Healthy' && (readyIn(item.status) ?? replicas) >= replicas;
  });

/** The deadline of a task; infinite if it waits for a decision by suppressDeletion. */
const endOf = (
  { creationTimestamp, gracePeriodSeconds, suppressDeletion }: GracefulEvictionTask,
  defaultGraceMs: number,
): number => {
  if (suppressDeletion !== undefined || creationTimestamp === undefined) return Infinity;
  const graceMs = gracePeriodSeconds === undefined ? defaultGraceMs : gracePeriodSeconds * 1000;
  return parseTime(creationTimestamp) + graceMs;
};

/**
 * Decides which eviction tasks remain. A new task gets its creation time now and is judged next
 * time. A task with suppressDeletion remains until that is set to false, which ends it at once. All
 * others end on time-out or when the replacement is healthy.
 */
export const assessTasks = (
  state: EvictionState,
  { nowMs, graceMs }: { readonly nowMs: number; readonly graceMs: number },
): Assessment => {
  const isWorkReplaced = isReplaced(state);
  const isOver = (task: GracefulEvictionTask): boolean => {
    if (task.creationTimestamp === undefined) return false;
    if (task.suppressDeletion !== undefined) return !task.suppressDeletion;
    return isWorkReplaced || endOf(task, graceMs) <= nowMs;
  };
  const openTasks = state.tasks
    .filter((task) => !isOver(task))
    .map((task) =>
      task.creationTimestamp === undefined
        ? { ...task, creationTimestamp: formatTime(nowMs) }
        : task,
    );
  const endedClusters = state.tasks.filter(isOver).map(({ fromCluster }) => fromCluster);
  const next = Math.min(...openTasks.map((task) => endOf(task, graceMs)));
  return {
    openTasks,
    endedClusters,
    ...present({ nextMs: next === Infinity ? undefined : Math.max(0, next - nowMs) }),
  };
};
