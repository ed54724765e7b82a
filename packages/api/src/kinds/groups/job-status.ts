import { int32, list, map, object, oneOf, string, time } from '@perigee/schema/structural/builder';
import { optional } from '@perigee/schema/structural/schema';
import { duration } from './duration.ts';

const phase = (description: string) =>
  oneOf(description, [
    'Pending',
    'Running',
    'Restarting',
    'Completing',
    'Completed',
    'Aborting',
    'Aborted',
    'Terminating',
    'Terminated',
    'Failed',
  ]);

const count = (description: string) => optional(int32(description, { minimum: 0 }));

export const jobStatus = object('How far the job has come.', {
  state: optional(
    object('Where the job stands.', {
      phase: optional(phase('The phase of the job.')),
      reason: optional(string('A word for the cause of the last change, for programs.')),
      message: optional(string('A sentence about the last change, for people.')),
      lastTransitionTime: optional(time('When the phase last changed.')),
    }),
  ),
  conditions: optional(
    list(
      'The phases that the job went through, oldest first.',
      object('A phase, and when it began.', {
        status: phase('The phase.'),
        lastTransitionTime: optional(time('When it began.')),
      }),
    ),
  ),
  minAvailable: count('How many pods must be able to start for any to start.'),
  pending: count('How many pods wait.'),
  running: count('How many pods run.'),
  succeeded: count('How many pods ended well.'),
  failed: count('How many pods failed.'),
  terminating: count('How many pods are being ended.'),
  unknown: count('How many pods nothing is known about.'),
  taskStatusCount: optional(
    map(
      'The pods of each task, by the name of the task.',
      object('The pods of one task.', {
        phase: optional(map('How many pods are in each phase.', int32('How many pods.'))),
      }),
    ),
  ),
  version: count('How often the job was made anew; pods of an older version are leftovers.'),
  retryCount: count('How often the job was restarted.'),
  runningDuration: optional(duration('How long the job ran.')),
  controlledResources: optional(
    map('What plugins made for the job, such as services.', string('Who made it.')),
  ),
});
