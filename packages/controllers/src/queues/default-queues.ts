import { Queue } from '@perigee/api/kinds/queues/queue';
import type { Client } from '@perigee/kube/client/client';
import { ensure } from '@perigee/kube/client/ensure';
import { DEFAULT_QUEUE, ROOT_QUEUE } from '@perigee/scheduling/queues/queue-names';

const FIELD_MANAGER = 'perigee-dispatcher';

/** Creates the built-in queues. With the default queue, admission begins to hold work. */
export const ensureDefaultQueues = async (client: Pick<Client, 'create' | 'patch'>) => {
  for (const name of [ROOT_QUEUE, DEFAULT_QUEUE]) {
    await ensure(client, Queue, { metadata: { name }, spec: {} }, { fieldManager: FIELD_MANAGER });
  }
};
