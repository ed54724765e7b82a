import type { Client } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import { ignoreNotFound } from '@perigee/kube/errors';
import { Node } from '@perigee/kubernetes/core/node';
import { nodeNames } from './ensure-nodes.ts';
import { VIRTUAL } from './make-node.ts';
import type { NodeShape } from './node-shape.ts';

/** Removes the virtual nodes of a member that match none of these shapes. Real nodes stay. */
export const removeOtherNodes = async (
  client: Client,
  shapes: readonly NodeShape[],
): Promise<void> => {
  const wantedNames = new Set(nodeNames(shapes));
  const { items } = await listAll(client, Node);
  for (const { metadata } of items) {
    if (wantedNames.has(metadata.name) || metadata.annotations?.[VIRTUAL] === undefined) continue;
    await client.delete(Node, { name: metadata.name }).catch(ignoreNotFound);
  }
};
