import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Queue } from '@perigee/api/kinds/queues/queue';
import type { ObjectRef } from '@perigee/kube/client/client';
import { refOf } from '@perigee/kube/client/ref-of';
import { index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import { isInLine, queuedWorkOf } from '@perigee/scheduling/placement/binding/queue-marks';
import { MOST_LEVELS, type QueueFamily } from '@perigee/scheduling/queues/queue-family';
import { parentOf } from '@perigee/scheduling/queues/queue-names';
import { isWhole } from '@perigee/scheduling/queues/work-facts';

const IN_LINE = 'in-line';
const PARENT = 'queue-parent';

const keysInLine = (binding: ResourceBinding): readonly string[] => {
  const { metadata } = binding;
  const work = isInLine(metadata) ? queuedWorkOf(metadata) : undefined;
  if (work === undefined) return [];
  return [
    `queue ${work.queue}`,
    `class ${work.priorityClassName ?? ''}`,
    `namespace ${metadata.namespace}`,
    ...(isWhole(binding) ? ['whole'] : []),
  ];
};

export const dispatchIndexes = [
  index(ResourceBinding, IN_LINE, keysInLine),
  index(Queue, PARENT, (queue) => [parentOf(queue) ?? '']),
];

const refsInLine = (cache: Caches, key: string): readonly ObjectRef[] =>
  cache(ResourceBinding).byIndex(IN_LINE, key).map(refOf);

/** Work that waits in a queue or in a descendant: limits of a queue hold for its descendants, too. */
export const inQueueOrBelow = (cache: Caches, queue: string, depth = 0): readonly ObjectRef[] => [
  ...refsInLine(cache, `queue ${queue}`),
  ...(depth > MOST_LEVELS ? [] : queueFamily(cache).childrenOf(queue)).flatMap(({ metadata }) =>
    inQueueOrBelow(cache, metadata.name, depth + 1),
  ),
];

/** Waiting work of a priority class; of no class with an empty name. */
export const ofClass = (cache: Caches, name: string): readonly ObjectRef[] =>
  refsInLine(cache, `class ${name}`);

export const ofNamespace = (cache: Caches, namespace: string): readonly ObjectRef[] =>
  refsInLine(cache, `namespace ${namespace}`);

/** Waiting work that is duplicated to every cluster that fits. */
export const whole = (cache: Caches): readonly ObjectRef[] => refsInLine(cache, 'whole');

export const queueFamily = (cache: Caches): QueueFamily => ({
  get: (name) => cache(Queue).get({ name }),
  childrenOf: (name) => cache(Queue).byIndex(PARENT, name),
});
