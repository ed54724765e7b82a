import { boolean, int32, list, object, oneOf, string } from '@perigee/schema/structural/builder';
import { check, optional, withDefault } from '@perigee/schema/structural/schema';
import { quotaResourceList, resourceList } from '../../fragments/pod-resources.ts';
import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { objectName } from '../groups/object-name.ts';
import { normaliseQueue } from './queue-normalise.ts';

const nodeGroups = (description: string) => list(description, string('The name of a node group.'));

const nodeGroupRules = (description: string) =>
  object(description, {
    requiredDuringSchedulingIgnoredDuringExecution: optional(
      nodeGroups('The node groups for which this must hold.'),
    ),
    preferredDuringSchedulingIgnoredDuringExecution: optional(
      nodeGroups('The node groups for which this should hold.'),
    ),
  });

const spec = check(
  object('How much the queue may use, and in which order its work is taken.', {
    weight: withDefault(
      1,
      int32('The share of the queue beside its siblings. 0 counts as left out.', {
        minimum: 1,
        maximum: 65535,
      }),
    ),
    priority: optional(
      int32('Queues with a higher one are served first, and give back last.', { minimum: 0 }),
    ),
    dequeueStrategy: withDefault(
      'traverse',
      oneOf(
        'What happens while the first in the queue does not fit: fifo waits for it, traverse tries the next.',
        ['fifo', 'traverse'],
      ),
    ),
    parent: optional(objectName('The queue that this one is a part of; root when left out.')),
    guarantee: optional(
      object('What is kept for this queue, used or not.', {
        resource: optional(quotaResourceList('The amounts that are kept.')),
      }),
    ),
    deserved: optional(
      quotaResourceList(
        'What the queue is due. Others may use what it leaves, and give it back when it is asked for.',
      ),
    ),
    capability: optional(
      quotaResourceList('The most that the queue may use; without limit in what is not named.'),
    ),
    reclaimable: withDefault(
      true,
      boolean('Whether others may take back what the queue uses beyond what it deserves.'),
    ),
    extendClusters: optional(
      list(
        'The clusters that the work of this queue is sent to.',
        object('A cluster.', {
          name: optional(string('The name of the cluster.')),
          weight: optional(int32('Its share of the work.')),
          capacity: optional(resourceList('What the cluster has for this queue.')),
        }),
      ),
    ),
    affinity: optional(
      object('The node groups that the pods of this queue run on.', {
        nodeGroupAffinity: optional(nodeGroupRules('The node groups to be on.')),
        nodeGroupAntiAffinity: optional(nodeGroupRules('The node groups to stay away from.')),
      }),
    ),
    type: optional(string('A word for the kind of work in the queue.', { maxLength: 253 })),
  }),
  {
    rule: '!has(self.guarantee) || !has(self.guarantee.resource) || self.guarantee.resource.all(r, has(self.deserved) && r in self.deserved && quantity(string(self.guarantee.resource[r])).compareTo(quantity(string(self.deserved[r]))) <= 0)',
    message: 'must be at least the guarantee, for every resource of the guarantee',
    fieldPath: '.deserved',
  },
  {
    rule: '!has(self.deserved) || !has(self.capability) || self.deserved.all(r, !(r in self.capability) || quantity(string(self.deserved[r])).compareTo(quantity(string(self.capability[r]))) <= 0)',
    message: 'must be at least what is deserved, for every resource that it limits',
    fieldPath: '.capability',
  },
);

const count = (description: string) => optional(int32(description, { minimum: 0 }));

const status = object('What the queue uses, and what waits in it.', {
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

/** A share of the resources, and the line of work that waits for it. */
export const Queue = defineKind({
  group: 'scheduling.volcano.sh',
  version: 'v1beta1',
  kind: 'Queue',
  plural: 'queues',
  scope: 'Cluster',
  shortNames: ['q', 'queue-v1beta1'],
  doc: 'A share of the resources, and the line of work that waits for it.',
  spec: withDefault({}, spec),
  status,
  rules: [
    {
      rule: '!has(self.spec.parent) || self.spec.parent != self.metadata.name',
      message: 'a queue cannot be its own parent',
      fieldPath: '.spec.parent',
    },
  ],
  columns: [
    { name: 'Parent', type: 'string', path: '.spec.parent', doc: 'The queue that it is part of.' },
    { name: 'State', type: 'string', path: '.status.state', doc: 'Whether it takes new work.' },
    { name: 'Weight', type: 'integer', path: '.spec.weight', doc: 'Its share.' },
    { name: 'Running', type: 'integer', path: '.status.running', doc: 'Running pod groups.' },
    {
      name: 'Inqueue',
      type: 'integer',
      path: '.status.inqueue',
      doc: 'Pod groups that were let in.',
      priority: 1,
    },
    {
      name: 'Pending',
      type: 'integer',
      path: '.status.pending',
      doc: 'Pod groups that wait.',
    },
    {
      name: 'Priority',
      type: 'integer',
      path: '.spec.priority',
      doc: 'Queues with a higher one come first.',
      priority: 1,
    },
  ],
  normalise: normaliseQueue,
});
export type Queue = StoredObjectOf<typeof Queue>;
export type QueueWritten = WrittenObjectOf<typeof Queue>;
export type QueueSpec = Queue['spec'];
export type QueueStatus = NonNullable<Queue['status']>;
