import type { JsonObject } from '@perigee/api/json';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { runsPods } from '@perigee/scheduling/data/concerned-work';
import { holdForQueue } from '@perigee/scheduling/queues/hold-for-queue';
import { queuedWork } from '@perigee/scheduling/queues/named-queue';
import { isOtherTemplate } from '@perigee/scheduling/queues/other-template';
import type { QueueFamily } from '@perigee/scheduling/queues/queue-family';
import { type QueuedWork, queuedWorkOf } from '@perigee/scheduling/queues/queue-marks';
import { DEFAULT_QUEUE } from '@perigee/scheduling/queues/queue-names';
import { metaOf } from '../../registry/metadata.ts';
import type { Registry } from '../../registry/registry.ts';
import { type Place, storedObjects } from './stored-objects.ts';

export interface BindingQueueOptions {
  readonly queues: () => QueueFamily;
  /** Whether work that names no queue is in the default one. */
  readonly queueAll: boolean;
}

/**
 * Holds bindings for the queues of their work, by what is stored at the moment of the write. Without a default queue
 * nobody runs a dispatcher, and nothing is held.
 */
export const storedBindingQueue = (
  place: Place & Pick<Registry, 'clock'>,
  { queues, queueAll }: BindingQueueOptions,
) => {
  const stored = storedObjects(place);
  const namespaces = stored.table(Namespace);
  return (object: JsonObject, old: JsonObject | undefined): JsonObject => {
    const draft = object as never as ResourceBinding;
    const before = old as never as ResourceBinding | undefined;
    const { spec } = draft;
    if (spec?.resource === undefined || spec.placement === undefined || !runsPods(spec)) {
      return object;
    }
    // What it is in already is read from what is stored: nobody else is believed.
    const known = before && queuedWorkOf(before.metadata);
    if (known === undefined && queues().get(DEFAULT_QUEUE) === undefined) return object;
    const hold = (queued: QueuedWork | undefined) =>
      holdForQueue(draft, before, queued, place.clock.now());
    const template = isOtherTemplate(draft, before) ? stored.template(spec.resource) : undefined;
    if (template === undefined) return hold(known) as never as JsonObject;
    const space = stored.newest(namespaces, spec.resource.namespace ?? '');
    const namespace = (space && metaOf(space).annotations) ?? {};
    const queued = queuedWork(template, { namespace, queueAll });
    return hold(queued) as never as JsonObject;
  };
};
