import type { ReasonsOfKind } from './reason.ts';

/** The conditions of a Work, and their reasons. */
export const workReasons = {
  of: 'Work',
  conditions: {
    Applied: {
      AppliedSuccessful: { means: 'The member has the objects.' },
      AppliedFailed: {
        means: 'The member refused an object, or it was there before and may not be overwritten.',
        todo: 'The message says what the member answered.',
      },
    },
    Dispatching: {
      Dispatching: { means: 'Changes go to the member.' },
      SuspendDispatching: {
        means: 'The policy or the Work suspends changes to this cluster.',
        todo: 'Take `suspension` away.',
      },
    },
    Degraded: {
      ImageNotPulled: { means: 'For a while, the image of a container cannot be pulled.' },
      CrashLoop: { means: 'For a while, a container ends again and again.' },
      ConfigMissing: {
        means: 'For a while, pods cannot start without something that the member lacks.',
      },
      PodUnschedulable: { means: 'For a while, no node of the member takes a pod.' },
      PodFailed: { means: 'For a while, work that should run has a pod that failed.' },
      QuotaExceeded: { means: 'A quota in the member keeps it from creating pods.' },
      PodsRefused: { means: 'The member refuses to create the pods.' },
      PodsNotReady: { means: 'For eight minutes, containers run and are not ready.' },
      Recovered: { means: 'It is well again, or has ended.' },
    },
    Gang: {
      GangsStarted: { means: 'Its pods are in groups, and each group has what it needs.' },
      GangsWait: {
        means: 'Its pods wait in the member until enough of them can start together.',
        todo: 'The message says what is missing.',
      },
    },
  },
} as const satisfies ReasonsOfKind;
