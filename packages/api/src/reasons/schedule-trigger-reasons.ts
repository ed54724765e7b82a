import type { Reasons, ReasonsOfKind } from './reason.ts';

/** The conditions of a ScheduleTrigger, and their reasons. */
export const scheduleTriggerReasons = {
  of: 'ScheduleTrigger',
  conditions: {
    Complete: {
      UnderWay: { means: 'Some resources have not been scheduled afresh yet.' },
      Standing: { means: 'It waits for its time, or for a cluster.' },
      BadSchedule: {
        means: 'Its schedule, time zone or selector cannot be read, and nothing is begun.',
        todo: 'Correct the field that the message names.',
      },
      Rescheduled: { means: 'Every resource was scheduled afresh, or skipped for a good reason.' },
      TargetsFailed: {
        means: 'Some resources failed. They are tried again every retryAfterSeconds.',
        todo: 'See status.failedResourceList.',
      },
    },
  },
} as const satisfies ReasonsOfKind;

const TARGET = 'ScheduleTrigger: status.targets[].reason';

/** Why a trigger does nothing about a resource, beside the reasons of the scheduler. */
export const targetReasons = {
  BindingNotFound: {
    of: TARGET,
    means: 'The resource has no binding: it does not exist, or no policy propagates it.',
    todo: 'Create it, or correct its name in the trigger. It is tried again.',
  },
  PolicyNotFound: {
    of: TARGET,
    means: 'The trigger names a policy that does not exist.',
    todo: 'Correct its name, and whether it has a namespace. It is tried again.',
  },
  ClusterNotFound: {
    of: TARGET,
    means: 'The trigger is towards a cluster that does not exist.',
    todo: 'Correct the name in towardsClusters.',
  },
  FollowsOthers: {
    of: TARGET,
    means: 'The resource is not scheduled by itself: it follows the work that depends on it.',
    todo: 'Trigger that work.',
  },
  SchedulingSuspended: {
    of: TARGET,
    means: 'The scheduling of the resource is suspended. It follows on release.',
  },
  RunsToCompletion: {
    of: TARGET,
    means: 'The work runs to completion and has started; elsewhere it would begin anew.',
    todo: 'Set moveStarted in the trigger to move it all the same.',
  },
  BudgetExhausted: {
    of: TARGET,
    means: 'The run has taken up as many resources as its budget allows.',
    todo: 'Raise budget.maxTargetsPerRun, or wait for the next run.',
  },
  NotScheduled: {
    of: TARGET,
    means:
      'No scheduler is in charge of the resource, or it has not decided for minutes since it was asked.',
    todo: 'See that a policy propagates the resource, and that the scheduler runs which it names in schedulerName.',
  },
  NotTriggered: {
    of: TARGET,
    means: 'The server did not take the request to schedule the resource afresh.',
    todo: 'The message says why; it is tried again.',
  },
} as const satisfies Reasons;

export type TargetReason = keyof typeof targetReasons;
