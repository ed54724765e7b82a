import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { GracefulEvictionTask } from '@perigee/api/kinds/placement/graceful-eviction-task';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import { sameJson } from '@perigee/api/schema/validate/same-json';
import { setCondition } from '@perigee/api/values/conditions';
import { APPLIED_PLACEMENT, type Binding } from '../binding/binding.ts';
import { leaveBehind } from '../failover/leave-behind.ts';
import { leaveGoing } from '../failover/leave-going.ts';
import type { Outcome } from './outcome.ts';
import type { Decision } from './schedule.ts';
import type { SchedulingCause } from './scheduling-cause.ts';

const SUCCESS = 'Binding has been scheduled successfully.';

const SCHEDULED = {
  type: 'Scheduled',
  status: 'True',
  reason: 'Success',
  message: SUCCESS,
} as const;

const byName = (a: TargetCluster, b: TargetCluster): number => (a.name < b.name ? -1 : 1);

const sorted = (clusters: readonly TargetCluster[] | undefined): readonly TargetCluster[] =>
  (clusters ?? []).toSorted(byName);

/** Whether a cluster waits until work has left it. */
export type IsGoing = (cluster: string) => boolean;

/** What was decided about a binding, why, and what has to be known to act on it. */
export interface Made {
  readonly decision: Decision;
  readonly cause: SchedulingCause;
  readonly isGoing: IsGoing;
}

/**
 * Where the work goes now. What no cluster fits goes nowhere, except that it stays in a cluster which waits
 * for it to leave; what only lacks room, or was only asked to move, stays where it is.
 */
const clustersAfter = (
  outcome: Outcome,
  { spec }: Binding,
  { cause, isGoing }: Made,
): readonly TargetCluster[] => {
  if (outcome.kind === 'placed') return sorted(outcome.clusters);
  const present = sorted(spec.clusters);
  const isLost = outcome.reason === 'NoClusterFit' && cause !== 'RescheduleTriggered';
  return isLost ? present.filter(({ name }) => isGoing(name)) : present;
};

/** What stays behind for a while. */
const tasksAfter = (
  { spec, status }: Binding,
  clusters: readonly TargetCluster[],
  { cause, isGoing }: Made,
): readonly GracefulEvictionTask[] => {
  const names = clusters.map(({ name }) => name);
  const gracefulEvictionTasks = leaveGoing(spec, status, names, isGoing);
  return cause === 'RescheduleTriggered'
    ? leaveBehind({ ...spec, gracefulEvictionTasks }, status, clusters)
    : gracefulEvictionTasks;
};

/**
 * The change of the binding that a decision makes; absent when it makes none. Throws an `EvictionError` for
 * work that cannot leave a cluster which is to go.
 */
export const bindingPatch = (binding: Binding, made: Made): object | undefined => {
  const { metadata, spec } = binding;
  const { outcome } = made.decision;
  if (outcome.kind === 'refused' && outcome.reason !== 'NoClusterFit') return undefined;
  const clusters = clustersAfter(outcome, binding, made);
  const placement = JSON.stringify(spec.placement);
  const isSame = sameJson(clusters, sorted(spec.clusters));
  if (isSame && metadata.annotations?.[APPLIED_PLACEMENT] === placement) return undefined;
  const tasks = tasksAfter(binding, clusters, made);
  const isLeaving = !sameJson(tasks, spec.gracefulEvictionTasks ?? []);
  return {
    metadata: {
      resourceVersion: metadata.resourceVersion,
      annotations: { [APPLIED_PLACEMENT]: placement },
    },
    ...(isSame
      ? {}
      : {
          spec: {
            clusters: clusters.length === 0 ? null : clusters,
            ...(isLeaving ? { gracefulEvictionTasks: tasks.length === 0 ? null : tasks } : {}),
          },
        }),
  };
};

export interface DecisionMoment {
  /** Nothing but what was decided before. */
  readonly isConfirmed: boolean;
  /** The time of the schedule, if it succeeded. */
  readonly scheduledAt: string;
  readonly nowMs: number;
}

/**
 * The status after a decision about this generation. A decision that only confirms the one before does not
 * count as a new one.
 */
export const statusAfter = (
  status: BindingStatus,
  generation: number,
  { outcome, affinityName }: Decision,
  { isConfirmed, scheduledAt, nowMs }: DecisionMoment,
): BindingStatus => {
  const isPlaced = outcome.kind === 'placed';
  const conditions = setCondition(
    status.conditions,
    isPlaced
      ? SCHEDULED
      : { type: 'Scheduled', status: 'False', reason: outcome.reason, message: outcome.message },
    nowMs,
  );
  const isOld =
    isConfirmed &&
    conditions === status.conditions &&
    status.schedulerObservedGeneration === generation;
  return {
    ...status,
    conditions,
    ...(isPlaced && !isOld
      ? { schedulerObservedGeneration: generation, lastScheduledTime: scheduledAt }
      : {}),
    ...(affinityName === undefined ? {} : { schedulerObservingAffinityName: affinityName }),
  };
};

/** What Events tell about a decision. */
export const decisionMessage = ({ outcome }: Decision): string => {
  if (outcome.kind === 'refused') return outcome.message;
  const shares = sorted(outcome.clusters).map(({ name, replicas = 0 }) => `${name}:${replicas}`);
  return `${SUCCESS} Result: {${shares.join(', ')}}`;
};
