import type { ReasonOf } from './condition-reasons.ts';
import type { EvictionReason } from './eviction-reasons.ts';
import type { Reasons } from './reason.ts';
import type { TargetReason } from './schedule-trigger-reasons.ts';

const PLAN = 'perigee plan: work[].reason, work[].steps[].reason';

/** Why work comes to a decision in a plan, or to none, beside the reasons of conditions, evictions and triggers. */
export const planReasons = {
  PlacementChanged: {
    of: PLAN,
    means: 'The work is new, or its policy, or the data that it claims, wants other clusters.',
  },
  ReplicasChanged: { of: PLAN, means: 'The work wants other replicas than it has.' },
  RescheduleTriggered: { of: PLAN, means: 'Somebody has it scheduled afresh.' },
  AlwaysScheduled: {
    of: PLAN,
    means: 'It goes to every cluster that it may use, and these have changed.',
  },
  ClusterIsGoing: { of: PLAN, means: 'A cluster that it is in is being removed.' },
  NotConfirmed: {
    of: PLAN,
    means: 'It has no place yet, or not for all of it, and is tried again.',
  },
  TemplateChanged: { of: PLAN, means: 'Its copies change where they are: they are written anew.' },
  OverrideChanged: {
    of: PLAN,
    means: 'An override policy makes another object of it in the clusters that the message names.',
  },
  NotTouched: { of: PLAN, means: 'The change is about it, and leaves it as it is.' },
  NoPolicy: {
    of: PLAN,
    means: 'No propagation policy selects it, so that it goes nowhere.',
    todo: 'Write a policy that selects it, or let one do so.',
  },
  WaitsForOverrides: {
    of: PLAN,
    means: 'Its policy waits for override policies that do not exist.',
    todo: 'Create the override policies that the message names.',
  },
  WaitsForPriorityClass: {
    of: PLAN,
    means: 'Its policy names a PriorityClass that does not exist.',
    todo: 'Create the PriorityClass, or name another one.',
  },
  WaitsForChange: {
    of: PLAN,
    means: 'Its policy is lazy and came later: it takes effect with the next change of the work.',
    todo: 'Change the work, for instance an annotation.',
  },
  NameTaken: {
    of: PLAN,
    means: 'The binding of its name still belongs to an earlier object.',
    todo: 'Wait until that is gone.',
  },
  OtherScheduler: {
    of: PLAN,
    means: 'Its policy names a scheduler of which nothing is known, so that nobody can say.',
    todo: 'Name a scheduler that runs, or none.',
  },
  ClusterLost: {
    of: PLAN,
    means: 'It is in a cluster that is lost, which nothing takes it out of.',
    todo: 'Let a ClusterTaintPolicy drive work out of lost clusters, as `perigee up --failover` does.',
  },
  CannotLeave: {
    of: PLAN,
    means:
      'It has to leave a cluster and cannot: no other one takes it, or its state is not known.',
    todo: 'Make room elsewhere, or let its policy allow more clusters.',
  },
} as const satisfies Reasons;

export type PlanReason =
  | keyof typeof planReasons
  | EvictionReason
  | TargetReason
  | ReasonOf<'Binding', 'Scheduled'>
  | ReasonOf<'Binding', 'Admitted'>
  | ReasonOf<'Binding', 'WorksWritten'>;
