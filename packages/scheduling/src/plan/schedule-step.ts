import { present } from '@perigee/schema/present';
import { isGoing } from '../clusters/lifecycle/going-cluster.ts';
import { EvictionError } from '../errors.ts';
import { placementMessage } from '../explain/history/placement-message.ts';
import { APPLIED_PLACEMENT, type Binding } from '../placement/binding/binding.ts';
import { DEFAULT_SCHEDULER } from '../placement/binding/distributed-to.ts';
import { schedulerOf } from '../placement/distributor/distribution-step.ts';
import { decideOn } from '../placement/scheduler/decide-on.ts';
import { groupsAmong } from '../placement/scheduler/groups-among.ts';
import {
  bindingPatch,
  type DecisionFacts,
  statusAfter,
} from '../placement/scheduler/record-decision.ts';
import { type SchedulingCause, schedulingCause } from '../placement/scheduler/scheduling-cause.ts';
import { standardRules } from '../placement/scheduler/standard-rules.ts';
import { isOurs } from '../placement/scheduler/standing.ts';
import { scheduledTime } from '../placement/triggers/scheduled-time.ts';
import { applyPatch } from './merge.ts';
import type { PlanState } from './plan-state.ts';

const MESSAGES: { readonly [cause in Exclude<SchedulingCause, 'PlacementChanged'>]: string } = {
  ReplicasChanged: 'it wants other replicas than it has',
  RescheduleTriggered: 'it is scheduled afresh',
  AlwaysScheduled: 'it goes to every cluster that it may use',
  ClusterIsGoing: 'a cluster that it is in is being removed',
  NotConfirmed: 'it waits for a place, and is tried again',
};

const changeBy = (state: PlanState, key: string, binding: Binding, facts: DecisionFacts) => {
  try {
    return bindingPatch(binding, facts);
  } catch (error) {
    if (!(error instanceof EvictionError)) throw error;
    state.report(key, 'CannotLeave', error.message);
    return undefined;
  }
};

const messageOf = (cause: SchedulingCause, binding: Binding): string =>
  cause === 'PlacementChanged' ? placementMessage(binding, binding) : MESSAGES[cause];

const report = (
  state: PlanState,
  key: string,
  binding: Binding,
  { decision, cause }: DecisionFacts,
  isChange: boolean,
): void => {
  const { outcome } = decision;
  if (isChange) state.report(key, cause, messageOf(cause, binding));
  if (outcome.kind === 'refused') state.report(key, outcome.reason, outcome.message);
};

/** Schedules a binding, and stores the decision. */
export const scheduleStep = (state: PlanState, key: string): void => {
  const binding = state.bindings.get(key);
  if (binding === undefined || binding.metadata.deletionTimestamp !== undefined) return;
  const scheduler = schedulerOf(binding);
  if (!isOurs(binding, scheduler)) return;
  if (scheduler !== DEFAULT_SCHEDULER && !state.world.schedulers.includes(scheduler)) {
    state.report(
      key,
      'OtherScheduler',
      `the scheduler ${scheduler} decides, of which nothing is known`,
    );
    return;
  }
  const { metadata, spec, status = {} } = binding;
  const appliedPlacement = metadata.annotations?.[APPLIED_PLACEMENT];
  const clusterOf = (name: string) => state.clusters.get(name);
  const cause = schedulingCause(
    { spec, status, ...present({ appliedPlacement: appliedPlacement || undefined }) },
    (name) => isGoing(clusterOf(name)),
  );
  const generation = metadata.generation ?? 0;
  if (cause === undefined) {
    if (status.schedulerObservedGeneration === generation) return;
    state.writeStatus(key, { ...status, schedulerObservedGeneration: generation });
    state.due.tasks.add(key);
    return;
  }
  const groups = groupsAmong(binding, state.withGroupsOf(binding));
  const world = { clusters: state.room.all, rules: standardRules, groups };
  const decision = decideOn(binding, world, state.recent);
  const facts = { decision, cause, clusterOf };
  const patch = changeBy(state, key, binding, facts);
  if (patch !== undefined) state.write(key, applyPatch(binding, patch));
  const bindingNow = state.bindings.get(key) ?? binding;
  report(state, key, binding, facts, patch !== undefined && 'spec' in patch);
  const next = statusAfter(bindingNow.status ?? {}, bindingNow.metadata.generation ?? 0, decision, {
    isConfirmed: patch === undefined && cause === 'AlwaysScheduled',
    scheduledAt: scheduledTime(spec, bindingNow.spec, state.nowMs),
    nowMs: state.nowMs,
  });
  state.writeStatus(key, next);
  state.due.tasks.add(key);
};
