import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { inItsQueue } from '@perigee/scheduling/gate/admit-binding';
import type { QueueFamily } from '@perigee/scheduling/queues/queue-family';
import { DEFAULT_QUEUE } from '@perigee/scheduling/queues/queue-names';
import type { JsonObject } from '@perigee/schema/json';
import { metaOf } from '../registry/metadata.ts';
import type { Registry } from '../registry/registry.ts';
import { type Place, storedObjects } from './stored-objects.ts';

export interface BindingQueueOptions {
  readonly queues: () => QueueFamily;
  /** True if work that names no queue is in the default one. */
  readonly queueAll: boolean;
}

/**
 * Suspends bindings for their queues, from the state of the store at the write. Without a default queue no
 * dispatcher runs, and none is suspended.
 */
export const storedBindingQueue = (
  place: Place & Pick<Registry, 'clock'>,
  { queues, queueAll }: BindingQueueOptions,
) => {
  const objects = storedObjects(place);
  const namespaces = objects.table(Namespace);
  const annotationsOf = (name: string) => {
    const space = objects.newest(namespaces, name);
    return (space && metaOf(space).annotations) ?? {};
  };
  return (object: JsonObject, old: JsonObject | undefined): JsonObject => {
    const draft = object as never as ResourceBinding;
    const before = old as never as ResourceBinding | undefined;
    // An object that is refused anyway, for what it lacks.
    if (draft.spec?.resource === undefined) return object;
    return inItsQueue(draft, before, {
      isInUse: () => queues().get(DEFAULT_QUEUE) !== undefined,
      templateOf: objects.template,
      annotationsOf,
      queueAll,
      nowMs: place.clock.now(),
    }) as never;
  };
};
