import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Queue } from '@perigee/api/kinds/queues/queue';
import type { Client } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import { ApiError } from '@perigee/kube/errors';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import { readPlacementClusters } from '@perigee/registration/operations/placement-clusters';
import { queuedWorkOf } from '@perigee/scheduling/placement/binding/queue-marks';
import { dispatchSnapshot } from '@perigee/scheduling/queues/dispatch-snapshot';
import { queueWorld } from '@perigee/scheduling/queues/queue-world';
import { present } from '@perigee/schema/present';
import { type QueueReasons, reasonsByCondition, reasonsNow } from './queue-reasons.ts';

/**
 * The state of work in its queue, by the dispatcher's own decision; by its condition for users who may not list
 * everything.
 */
export const readQueueReasons = async (
  client: Client,
  binding: ResourceBinding,
  now: number,
): Promise<QueueReasons> => {
  try {
    const [queues, bindings, clusters, namespaces, classes] = await Promise.all([
      listAll(client, Queue),
      listAll(client, ResourceBinding),
      readPlacementClusters(client, { nowMs: now }),
      listAll(client, Namespace),
      listAll(client, PriorityClass),
    ]);
    const world = queueWorld(clusters.facts, namespaces.items, classes.items);
    const state = dispatchSnapshot({
      ...world,
      queues: queues.items,
      bindings: bindings.items,
      clusters: clusters.clusters,
      now,
    });
    const work = queuedWorkOf(binding.metadata);
    const queue = queues.items.find(({ metadata }) => metadata.name === work?.queue);
    const reasons = reasonsNow(binding, queue, state, now);
    const name = work?.priorityClassName;
    const isThere = classes.items.some(({ metadata }) => metadata.name === name);
    return {
      ...reasons,
      ...present({ missingPriorityClass: isThere ? undefined : name }),
    };
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) return reasonsByCondition(binding);
    throw error;
  }
};
