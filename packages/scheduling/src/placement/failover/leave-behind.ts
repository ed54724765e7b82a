import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { GracefulEvictionTask } from '@perigee/api/kinds/placement/graceful-eviction-task';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import type { EvictionReason } from '@perigee/api/reasons/eviction-reasons';
import { runsToCompletion } from '../../interpreter/completion-checks.ts';
import { isWorkload } from '../scheduler/placement-request.ts';
import { type EvictionCause, evictCluster } from './evict-cluster.ts';
import { preservedState } from './preserved-state.ts';

const RESCHEDULED = 'Rescheduled' satisfies EvictionReason;

type Tasks = readonly GracefulEvictionTask[];

/** True if old replicas of rescheduled work still wait for the new ones. */
export const isMoving = ({ gracefulEvictionTasks = [] }: BindingSpec): boolean =>
  gracefulEvictionTasks.some(({ reason }) => reason === RESCHEDULED);

/** Replicas that a cluster keeps for now beyond its share, by cluster. */
export const stayingReplicas = ({
  clusters = [],
  gracefulEvictionTasks = [],
}: BindingSpec): ReadonlyMap<string, number> => {
  const due = new Set(clusters.map(({ name }) => name));
  return new Map(
    gracefulEvictionTasks
      .filter(({ fromCluster, reason }) => reason === RESCHEDULED && due.has(fromCluster))
      .map(({ fromCluster, replicas = 0 }) => [fromCluster, replicas]),
  );
};

/** Work that must not run twice stops here before it starts elsewhere. */
const causeOf = ({ resource }: BindingSpec): EvictionCause => ({
  purgeMode: runsToCompletion(resource) ? 'Directly' : 'Gracefully',
  reason: RESCHEDULED,
  message: 'the work was scheduled afresh',
  producer: 'Scheduler',
});

const leaveCluster = (
  spec: BindingSpec,
  status: BindingStatus | undefined,
  tasks: Tasks,
  name: string,
): Tasks => {
  const { clusters = [], failover } = spec;
  const state = preservedState(failover?.cluster?.statePreservation, status, name);
  const clustersBeforeFailover = clusters.map((cluster) => cluster.name);
  const cause = {
    ...causeOf(spec),
    ...(state === undefined ? {} : { preservedLabelState: state, clustersBeforeFailover }),
  };
  return evictCluster({ clusters, gracefulEvictionTasks: tasks }, name, cause)
    .gracefulEvictionTasks;
};

/**
 * Updates the task for replicas that leave a cluster while others stay; replicas of an earlier task
 * are counted again.
 */
const leavePartly = (
  spec: BindingSpec,
  tasks: Tasks,
  { name, replicas = 0 }: TargetCluster,
  { due, stay }: { readonly due: number; readonly stay: number | undefined },
): Tasks => {
  const leavingReplicas = replicas + (stay ?? 0) - due;
  if (leavingReplicas <= 0 && stay === undefined) return tasks;
  const others = tasks.filter(({ fromCluster }) => fromCluster !== name);
  return leavingReplicas <= 0
    ? others
    : [...others, { fromCluster: name, ...causeOf(spec), replicas: leavingReplicas }];
};

/**
 * The eviction tasks of rescheduled work: its old replicas stay until the new ones are healthy.
 * Returns the same list if nothing leaves, or if the policy wants old copies removed at once.
 * Throws an `EvictionError` if state to preserve cannot be read.
 */
export const leaveBehind = (
  spec: BindingSpec,
  status: BindingStatus | undefined,
  next: readonly TargetCluster[],
): Tasks => {
  const tasksBefore = spec.gracefulEvictionTasks ?? [];
  if (!isWorkload(spec) || spec.failover?.cluster?.purgeMode === 'Directly') return tasksBefore;
  const due = new Map(next.map(({ name, replicas = 0 }) => [name, replicas]));
  const isDivisible = !runsToCompletion(spec.resource);
  const stays = stayingReplicas(spec);
  return (spec.clusters ?? []).reduce((tasks: Tasks, target) => {
    const share = due.get(target.name);
    if (share === undefined) return leaveCluster(spec, status, tasks, target.name);
    if (!isDivisible) return tasks;
    return leavePartly(spec, tasks, target, { due: share, stay: stays.get(target.name) });
  }, tasksBefore);
};
