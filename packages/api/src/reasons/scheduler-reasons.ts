import type { ReasonsOfKind } from './reason.ts';

/** The conditions of a Scheduler, and their reasons. */
export const schedulerReasons = {
  of: 'Scheduler',
  conditions: {
    Available: {
      LeaseHeld: { means: 'The scheduler holds its lease.' },
      NotStarted: { means: 'The scheduler has not taken its lease yet.' },
      Leaving: { means: 'The scheduler gives its clusters and its work away.' },
      LeaseExpired: {
        means: 'The scheduler has not renewed its lease in time. Others do its work.',
        todo: 'Look at its process; it is started again by itself.',
      },
      CrashLoop: {
        means: 'Its process ends again and again, and is started later each time.',
        todo: 'The message says how it ended; status.lastExit says when it is started again.',
      },
    },
    UnionExact: {
      Exact: { means: 'All sums over its clusters are exact again.' },
      SumTooLarge: {
        means:
          'A sum over its clusters is larger than a record can tell, and stands for that or more.',
        todo: 'Look for a cluster whose record says too much, in the fields that the message names.',
      },
    },
  },
} as const satisfies ReasonsOfKind;
