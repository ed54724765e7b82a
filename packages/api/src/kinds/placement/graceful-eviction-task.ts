import {
  boolean,
  int32,
  list,
  map,
  object,
  oneOf,
  string,
  time,
} from '@perigee/schema/structural/builder';
import { optional, type StoredOf } from '@perigee/schema/structural/schema';
import { replicas } from '../../fragments/fragments.ts';

/** Work that is on its way out of a cluster, and when it may be deleted there. */
export const gracefulEvictionTasks = (description: string) =>
  list(
    description,
    object('The eviction of the work from one cluster.', {
      fromCluster: string('The cluster that the work leaves.'),
      purgeMode: optional(
        oneOf(
          'When the work is deleted there: Directly at once, Gracefully when its replacement is healthy, Never by itself.',
          ['Directly', 'Gracefully', 'Never'],
        ),
      ),
      replicas: optional(replicas('How many replicas leave; of no meaning without replicas.')),
      reason: string('A word for the cause, for programs, such as TaintUntolerated.', {
        minLength: 1,
        maxLength: 32,
        pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
      }),
      message: optional(string('A sentence about the cause, for people.', { maxLength: 1024 })),
      producer: string('The controller that decided on the eviction.'),
      gracePeriodSeconds: optional(
        int32(
          'How long to wait for the replacement at most; the control plane’s own setting when left out.',
          { minimum: 1 },
        ),
      ),
      suppressDeletion: optional(
        boolean('True keeps the old copy until somebody sets this to false, which ends the task.'),
      ),
      preservedLabelState: optional(
        map(
          'What was saved of the old copy: labels that the new one gets.',
          string('The value of a label.'),
        ),
      ),
      creationTimestamp: optional(time('When the task began; set by the system.')),
      clustersBeforeFailover: optional(
        list('The clusters that ran the work before.', string('The name of a cluster.')),
      ),
    }),
  );

export type GracefulEvictionTask = StoredOf<ReturnType<typeof gracefulEvictionTasks>>[number];
