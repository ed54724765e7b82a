import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { GracefulEvictionTask } from '@perigee/api/kinds/placement/graceful-eviction-task';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import { formatTime, parseTime } from '@perigee/api/values/time';

/** What there is to know about a binding in order to judge its evictions. */
export interface EvictionState {
  readonly tasks: readonly GracefulEvictionTask[];
  /** Where the work goes now. */
  readonly clusters: readonly TargetCluster[];
  readonly aggregatedStatus: BindingStatus['aggregatedStatus'];
  /** Whether the scheduler has dealt with the present state of the binding. */
  readonly isScheduled: boolean;
}

export interface Assessment {
  readonly kept: readonly GracefulEvictionTask[];
  /** The clusters whose evictions are over. */
  readonly ended: readonly string[];
  /** When the first of the kept tasks runs out of time; absent when none does by itself. */
  readonly nextMs?: number;
}

/** How many replicas a status tells of as ready; nothing for work that does not count them. */
const readyIn = (status: unknown): number | undefined => {
  const { replicas, readyReplicas } = (status ?? {}) as { readonly [field: string]: unknown };
  if (typeof readyReplicas === 'number') return readyReplicas;
  return typeof replicas === 'number' ? 0 : undefined;
};

/**
 * The replacement does its work wherever it is. A status of an earlier decision proves nothing, and neither does
 * the health of fewer replicas than there are to be.
 */
const isReplaced = ({ clusters, aggregatedStatus = [], isScheduled }: EvictionState): boolean =>
  isScheduled &&
  clusters.every(({ name, replicas = 0 }) => {
    const item = aggregatedStatus.find(({ clusterName }) => clusterName === name);
    return item?.health === 'Healthy' && (readyIn(item.status) ?? replicas) >= replicas;
  });

/** When a task ends at the latest; never when it waits for somebody's word. */
const endOf = (
  { creationTimestamp, gracePeriodSeconds, suppressDeletion }: GracefulEvictionTask,
  defaultGraceMs: number,
): number => {
  if (suppressDeletion !== undefined || creationTimestamp === undefined) return Infinity;
  const graceMs = gracePeriodSeconds === undefined ? defaultGraceMs : gracePeriodSeconds * 1000;
  return parseTime(creationTimestamp) + graceMs;
};

/**
 * Which evictions go on. A new task gets the time of its beginning and is judged the next time. One
 * whose deletion is suppressed goes on until somebody says otherwise, which ends it at once. Any other
 * ends when its time is over, or the replacement is healthy.
 */
export const assessTasks = (
  state: EvictionState,
  { nowMs, graceMs }: { readonly nowMs: number; readonly graceMs: number },
): Assessment => {
  const replaced = isReplaced(state);
  const isOver = (task: GracefulEvictionTask): boolean => {
    if (task.creationTimestamp === undefined) return false;
    if (task.suppressDeletion !== undefined) return !task.suppressDeletion;
    return replaced || endOf(task, graceMs) <= nowMs;
  };
  const kept = state.tasks
    .filter((task) => !isOver(task))
    .map((task) =>
      task.creationTimestamp === undefined
        ? { ...task, creationTimestamp: formatTime(nowMs) }
        : task,
    );
  const ended = state.tasks.filter(isOver).map(({ fromCluster }) => fromCluster);
  const next = Math.min(...kept.map((task) => endOf(task, graceMs)));
  return { kept, ended, ...(next === Infinity ? {} : { nextMs: Math.max(0, next - nowMs) }) };
};
