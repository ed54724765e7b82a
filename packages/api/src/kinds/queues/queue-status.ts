import { int32, list, object, oneOf, string } from '@perigee/schema/structural/builder';
import { optional } from '@perigee/schema/structural/schema';
import { resourceList } from '../../fragments/pod-resources.ts';

const count = (description: string) => optional(int32(description, { minimum: 0 }));

export const queueStatus = object('What the queue uses, and what waits in it.', {
  state: optional(
    oneOf(
      'Whether the queue takes new work: Open; Closed; Closing, while work that it has still runs; Unknown.',
      ['Open', 'Closed', 'Closing', 'Unknown'],
    ),
  ),
  pending: count('How many pod groups wait to be let in.'),
  inqueue: count('How many pod groups were let in and wait for their pods.'),
  running: count('How many pod groups run.'),
  completed: count('How many pod groups are done.'),
  unknown: count('How many pod groups run in part and cannot get the rest.'),
  allocated: optional(resourceList('What the work of the queue has at present.')),
  reservation: optional(
    object('What is locked for the queue’s guarantee.', {
      nodes: optional(list('The locked nodes.', string('The name of a node.'))),
      resource: optional(resourceList('What is free on the locked nodes.')),
    }),
  ),
});
