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
  },
} as const satisfies ReasonsOfKind;
