import {
  int32,
  list,
  listMap,
  map,
  object,
  oneOf,
  string,
  time,
} from '@perigee/schema/structural/builder';
import { optional, withDefault } from '@perigee/schema/structural/schema';
import { labelSelector } from '../../fragments/fragments.ts';
import { resourceList } from '../../fragments/pod-resources.ts';
import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { networkTopology } from './network-topology.ts';
import { objectName } from './object-name.ts';

const subGroupPolicy = object('How some pods of the group are put into smaller groups.', {
  name: optional(string('The name of the policy.', { maxLength: 253 })),
  labelSelector: optional(labelSelector('The pods that this is about.')),
  matchLabelKeys: optional(
    list(
      'Pods with equal values of these labels are in the same small group.',
      string('The key of a label.'),
    ),
  ),
  subGroupSize: withDefault(
    1,
    int32('How many pods make a small group; it starts whole or not at all.', { minimum: 1 }),
  ),
  minSubGroups: withDefault(
    0,
    int32('How many small groups must be able to start for any to start.', { minimum: 0 }),
  ),
  networkTopology: optional(networkTopology('How close together a small group has to be.')),
});

const spec = object('What has to be there before the pods of the group start.', {
  minMember: optional(
    int32('How many pods must be able to start for any to start.', { minimum: 0 }),
  ),
  minTaskMember: optional(
    map(
      'How many pods of each task must be able to start for any to start, by the name of the task.',
      int32('How many pods.', { minimum: 0 }),
    ),
  ),
  minResources: optional(
    resourceList('What must be free in the queue for the group to be let in.'),
  ),
  queue: withDefault('default', objectName('The queue whose share the group uses.')),
  priorityClassName: optional(
    string('The priority class of the group.', {
      maxLength: 253,
    }),
  ),
  networkTopology: optional(networkTopology('How close together the group has to be.')),
  subGroupPolicy: optional(list('How the group is made of smaller ones.', subGroupPolicy)),
});

const status = object('How far the group has come.', {
  phase: optional(
    oneOf(
      'Pending: waits to be let in. Inqueue: its pods may be created. Running: enough pods run. Unknown: some run and the rest cannot. Completed: all are done.',
      ['Pending', 'Inqueue', 'Running', 'Unknown', 'Completed'],
    ),
  ),
  running: optional(int32('How many pods run.', { minimum: 0 })),
  succeeded: optional(int32('How many pods ended well.', { minimum: 0 })),
  failed: optional(int32('How many pods failed.', { minimum: 0 })),
  conditions: optional(
    listMap(
      'What is known about the group.',
      ['type'],
      object('One observation about the group.', {
        type: string('What is observed, such as Unschedulable or Scheduled.', { minLength: 1 }),
        status: optional(oneOf('Whether it holds.', ['True', 'False', 'Unknown'])),
        reason: optional(string('A word for the cause, such as NotEnoughResources.')),
        message: optional(string('A sentence about the cause, for people.')),
        lastTransitionTime: optional(time('When the status last changed.')),
        transitionID: optional(string('The scheduling round in which it changed.')),
      }),
    ),
  ),
});

/** Pods that start together or not at all. */
export const PodGroup = defineKind({
  group: 'scheduling.volcano.sh',
  version: 'v1beta1',
  kind: 'PodGroup',
  plural: 'podgroups',
  scope: 'Namespaced',
  shortNames: ['pg', 'podgroup-v1beta1'],
  doc: 'Pods that start together or not at all.',
  spec: withDefault({}, spec),
  status,
  // Volcano's scheduler and controllers write the status together with the rest of the object.
  statusSubresource: false,
  columns: [
    { name: 'Status', type: 'string', path: '.status.phase', doc: 'How far the group has come.' },
    {
      name: 'minMember',
      type: 'integer',
      path: '.spec.minMember',
      doc: 'How many pods must be able to start.',
    },
    { name: 'Runnings', type: 'integer', path: '.status.running', doc: 'How many pods run.' },
    { name: 'Queue', type: 'string', path: '.spec.queue', doc: 'Its queue.', priority: 1 },
    {
      name: 'Succeeded',
      type: 'integer',
      path: '.status.succeeded',
      doc: 'How many pods ended well.',
      priority: 1,
    },
    {
      name: 'Failed',
      type: 'integer',
      path: '.status.failed',
      doc: 'How many pods failed.',
      priority: 1,
    },
  ],
});
export type PodGroup = StoredObjectOf<typeof PodGroup>;
export type PodGroupWritten = WrittenObjectOf<typeof PodGroup>;
export type PodGroupSpec = PodGroup['spec'];
export type PodGroupStatus = NonNullable<PodGroup['status']>;
export type PodGroupPhase = NonNullable<PodGroupStatus['phase']>;
