import { sameJson } from '@perigee/api/schema/validate/same-json';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import { Node } from '@perigee/kubernetes/core/node';

/** Makes the nodes of a member take no more pods, or as many as they have room for. */
export const fillNodes = async (
  client: Client,
  isFull: boolean,
  options: CallOptions = {},
): Promise<void> => {
  const { items } = await listAll(client, Node, options);
  for (const { metadata, status = {} } of items) {
    const { capacity = {} } = status;
    const allocatable = isFull ? { ...capacity, pods: '0' } : capacity;
    if (sameJson(status.allocatable, allocatable)) continue;
    const body = {
      metadata: { resourceVersion: metadata.resourceVersion },
      status: { allocatable },
    };
    const patch = { type: 'merge', body } as const;
    await client.patch(Node, metadata, patch, { ...options, subresource: 'status' });
  }
};
