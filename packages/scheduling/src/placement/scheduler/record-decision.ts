import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { GracefulEvictionTask } from '@perigee/api/kinds/placement/graceful-eviction-task';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import { setCondition } from '@perigee/api/values/conditions';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { drains, isLost } from '../../clusters/lifecycle/going-cluster.ts';
import { carriedPlacement } from '../../data/carried-placement.ts';
import { locatedCluster } from '../../data/locality.ts';
import { APPLIED_PLACEMENT, type Binding } from '../binding/binding.ts';
import { leaveBehind } from '../failover/leave-behind.ts';
import { leaveDataless, leaveGoing } from '../failover/leave-clusters.ts';
import { webster } from './assign/webster.ts';
import { usableBy } from './cluster-change.ts';
import { divisionStrategy } from './division-strategy.ts';
import { fitsNowhere } from './outcome.ts';
import { withPlacement } from './placement-record.ts';
import { isDivisible } from './placement-request.ts';
import type { Decision } from './schedule.ts';
import type { SchedulingCause } from './scheduling-cause.ts';

const atMost = (
  { replicas = 0, placement, resource }: BindingSpec,
  targets: readonly TargetCluster[],
): readonly TargetCluster[] => {
  if (divisionStrategy(placement?.replicaScheduling) === 'duplicated') {
    return targets.map((target) => ({
      ...target,
      replicas: Math.min(replicas, target.replicas ?? replicas),
    }));
  }
  const parties = targets.map((target) => ({ name: target.name, votes: target.replicas ?? 0 }));
  const sum = parties.reduce((total, { votes }) => total + votes, 0);
  if (sum <= replicas) return targets;
  const shares = webster(replicas, parties, resource.uid);
  return shares.map(({ name, seats }) => ({ name, replicas: seats }));
};

/**
 * The placement of work that no longer fits any cluster: its present clusters that still exist, without additional
 * replicas. A scale-down, even to zero, is divided in proportion to the present shares.
 */
const stayingOn = (
  spec: BindingSpec,
  isLost: (cluster: string) => boolean,
): readonly TargetCluster[] => {
  const targets = (spec.clusters ?? []).filter(({ name }) => !isLost(name));
  if (!isDivisible(spec)) return targets.map(({ replicas: _, ...target }) => target);
  return atMost(spec, targets).filter(({ replicas = 0 }) => replicas > 0);
};

const SUCCESS = 'Binding has been scheduled successfully.';

const SCHEDULED = {
  type: 'Scheduled',
  status: 'True',
  reason: 'Success',
  message: SUCCESS,
} as const;

const byName = (a: TargetCluster, b: TargetCluster): number => (a.name < b.name ? -1 : 1);

const inNameOrder = (clusters: readonly TargetCluster[] | undefined): readonly TargetCluster[] =>
  (clusters ?? []).toSorted(byName);

/** Looks up a cluster by name. */
export type ClusterOf = (name: string) => MemberCluster | undefined;

/** The clusters after a decision. Running work stays until it has a new place. */
export const clustersAfter = (
  { outcome }: Decision,
  spec: BindingSpec,
  clusterOf: ClusterOf,
): readonly TargetCluster[] => {
  if (outcome.kind === 'placed') return inNameOrder(outcome.clusters);
  return fitsNowhere(outcome)
    ? inNameOrder(stayingOn(spec, (name) => isLost(clusterOf(name))))
    : inNameOrder(spec.clusters);
};

/** A decision, its cause, and a lookup of the clusters. */
export interface DecisionFacts {
  readonly decision: Decision;
  readonly cause: SchedulingCause;
  readonly clusterOf: ClusterOf;
  /** Set for final decisions: these are recorded in the binding. */
  readonly nowMs?: number;
}

/** Clusters that the policy selects and that lack the data. */
const withoutData = (binding: Binding, clusterOf: ClusterOf): ((name: string) => boolean) => {
  const placement = carriedPlacement(binding.metadata)?.within?.base();
  if (placement === undefined) return () => false;
  const isUsable = usableBy(binding);
  const isWanted = usableBy({ spec: { ...binding.spec, placement } });
  return (name) => {
    const cluster = clusterOf(name);
    if (cluster === undefined) return false;
    const facts = locatedCluster(cluster);
    return isWanted(facts) && !isUsable(facts);
  };
};

/** Graceful eviction tasks for the clusters that the work leaves. */
const tasksAfter = (
  binding: Binding,
  clusters: readonly TargetCluster[],
  { cause, clusterOf }: DecisionFacts,
): readonly GracefulEvictionTask[] => {
  const { spec, status } = binding;
  const names = clusters.map(({ name }) => name);
  const tasksOfGoing = leaveGoing(spec, status, names, (name) => drains(clusterOf(name)));
  const specWithTasks = { ...spec, gracefulEvictionTasks: tasksOfGoing };
  const tasks = leaveDataless(specWithTasks, status, names, withoutData(binding, clusterOf));
  return cause === 'RescheduleTriggered'
    ? leaveBehind({ ...spec, gracefulEvictionTasks: tasks }, status, clusters)
    : tasks;
};

/**
 * The patch of the binding for a decision; undefined without a change. Throws an `EvictionError` if the work
 * cannot leave a cluster that is being removed.
 */
export const bindingPatch = (binding: Binding, facts: DecisionFacts): object | undefined => {
  const { metadata, spec } = binding;
  const { decision, cause, clusterOf, nowMs } = facts;
  const { outcome } = decision;
  if (outcome.kind === 'refused' && !fitsNowhere(outcome)) return undefined;
  const clusters = clustersAfter(decision, spec, clusterOf);
  const placement = JSON.stringify(spec.placement);
  const isSame = sameJson(clusters, inNameOrder(spec.clusters));
  if (isSame && metadata.annotations?.[APPLIED_PLACEMENT] === placement) return undefined;
  const tasks = tasksAfter(binding, clusters, facts);
  const isLeaving = !sameJson(tasks, spec.gracefulEvictionTasks ?? []);
  return {
    metadata: {
      resourceVersion: metadata.resourceVersion,
      annotations: {
        [APPLIED_PLACEMENT]: placement,
        ...(isSame || nowMs === undefined ? {} : withPlacement(metadata, cause, clusters, nowMs)),
      },
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
  /** True if the decision is the same as the last. */
  readonly isConfirmed: boolean;
  /** The time of the schedule, if it succeeded. */
  readonly scheduledAt: string;
  readonly nowMs: number;
}

/**
 * The status after a decision about this generation. A decision that equals the last one does not count as new.
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
    ...present({ schedulerObservingAffinityName: affinityName }),
  };
};

/** The message of Events about a decision. */
export const decisionMessage = ({ outcome }: Decision): string => {
  if (outcome.kind === 'refused') return outcome.message;
  const shares = inNameOrder(outcome.clusters).map(
    ({ name, replicas = 0 }) => `${name}:${replicas}`,
  );
  return `${SUCCESS} Result: {${shares.join(', ')}}`;
};
