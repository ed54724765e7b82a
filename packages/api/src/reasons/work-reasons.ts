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
    Gang: {
      GangsStarted: { means: 'Its pods are in groups, and each group has what it needs.' },
      GangsWait: {
        means: 'Its pods wait in the member until enough of them can start together.',
        todo: 'The message says what is missing.',
      },
    },
  },
} as const satisfies ReasonsOfKind;
