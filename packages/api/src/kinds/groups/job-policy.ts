import { int32, list, object, oneOf } from '@perigee/schema/structural/builder';
import { check, optional, type StoredOf } from '@perigee/schema/structural/schema';
import { duration } from './duration.ts';

const event = (description: string) =>
  oneOf(description, [
    '*',
    'PodPending',
    'PodFailed',
    'PodEvicted',
    'Unknown',
    'TaskCompleted',
    'TaskFailed',
    'JobUpdated',
  ]);

const policy = check(
  object('What to do when something happens.', {
    action: oneOf('What to do.', [
      'AbortJob',
      'RestartJob',
      'RestartTask',
      'RestartPod',
      'RestartPartition',
      'TerminateJob',
      'CompleteJob',
      'ResumeJob',
    ]),
    event: optional(event('What has to happen; * stands for anything.')),
    events: optional(list('Further things, of which one has to happen.', event('An event.'))),
    exitCode: optional(
      check(int32('The code, other than 0, that a container has to exit with.'), {
        rule: 'self != 0',
        message: 'must not be 0, which means success',
      }),
    ),
    timeout: optional(duration('How long to wait before doing it; at once when left out.')),
  }),
  {
    rule: 'has(self.event) || (has(self.events) && size(self.events) > 0) || has(self.exitCode)',
    message: 'say when to act, by event, events or exitCode',
    reason: 'FieldValueRequired',
    fieldPath: '.event',
  },
  {
    rule: '!has(self.exitCode) || (!has(self.event) && (!has(self.events) || size(self.events) == 0))',
    message: 'is given beside an event; make one policy for each',
    reason: 'FieldValueForbidden',
    fieldPath: '.exitCode',
  },
);

/** Actions by event; each event and each exit code has one policy. */
export const policies = (description: string) => list(description, policy, { maxItems: 64 });

export type JobPolicy = StoredOf<ReturnType<typeof policies>>[number];
