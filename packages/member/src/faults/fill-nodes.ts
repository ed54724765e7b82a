import type { CallOptions, Client } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { Node } from '@perigee/kubernetes/core/node';
import { sameJson } from '@perigee/schema/same-json';

/** Sets the pod capacity of a member's nodes to zero, or back. */
export const fillNodes = async (
  client: Client,
  isFull: boolean,
  options: CallOptions = {},
): Promise<void> => {
  const { items } = await listAll(client, Node, options);
  for (const node of items) {
    const { capacity = {}, allocatable: before } = node.status ?? {};
    const allocatable = isFull ? { ...capacity, pods: '0' } : capacity;
    if (sameJson(before, allocatable)) continue;
    await patchStatus(client, Node, node, { allocatable }, options);
  }
};
