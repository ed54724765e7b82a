import { Queue } from '@perigee/api/kinds/queues/queue';
import type { QueueFamily } from '@perigee/scheduling/queues/queue-family';
import { parentOf } from '@perigee/scheduling/queues/queue-names';
import type { JsonObject } from '@perigee/schema/json';
import type { Registry } from '../registry/registry.ts';
import { TableView } from '../store/table-view.ts';

/** The present queues in the store. */
export const storedQueues = ({
  store,
  cluster,
}: Pick<Registry, 'store' | 'cluster'>): (() => QueueFamily) => {
  const queues = new TableView(
    `${cluster}/${Queue.group}/${Queue.plural}`,
    (object: JsonObject) => object as never as Queue,
    parentOf,
  );
  const family: QueueFamily = {
    get: (name) => queues.get(name),
    childrenOf: (name) => queues.byIndex(name),
  };
  return () => {
    queues.refresh(store);
    return family;
  };
};
