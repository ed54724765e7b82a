import type { Client } from '@perigee/kube/client/client';
import { ensure } from '@perigee/kube/client/ensure';
import { listAll } from '@perigee/kube/client/list-all';
import { replaceStatus } from '@perigee/kube/client/replace-status';
import type { Clock } from '@perigee/kube/clock/clock';
import { Node, type NodeWritten } from '@perigee/kubernetes/core/node';
import { sameJson } from '@perigee/schema/same-json';
import { formatTime } from '@perigee/schema/values/time';
import { conditionTaints } from '../node-lifecycle/condition-taints.ts';
import { makeNode } from './make-node.ts';
import type { NodeShape } from './node-shape.ts';

const AT_ONCE = 32;

const nameOf = ({ name }: NodeShape, place: number): string =>
  name ?? (place === 0 ? 'node' : `node${place}`);

/** Names of all nodes of these shapes. */
export const nodeNames = function* (shapes: readonly NodeShape[]): Iterable<string> {
  for (const [place, shape] of shapes.entries()) {
    for (let index = 0; index < shape.count; index++) yield `${nameOf(shape, place)}-${index}`;
  }
};

const nodesOf = function* (
  shapes: readonly NodeShape[],
  version: string,
  time: string,
): Iterable<NodeWritten> {
  let ordinal = 0;
  for (const [place, shape] of shapes.entries()) {
    for (let index = 0; index < shape.count; index++) {
      ordinal += 1;
      yield makeNode(shape, { name: `${nameOf(shape, place)}-${index}`, ordinal }, version, time);
    }
  }
};

/** Capacity and addresses are in the status, which a kubelet writes. */
const report = async (client: Client, node: Node, desired: NodeWritten): Promise<Node> => {
  if (sameJson(node.status?.capacity, desired.status?.capacity)) return node;
  return replaceStatus(client, Node, node, { ...node.status, ...desired.status });
};

/** Removes the not-ready taint that admission puts on new nodes. */
const admit = async (client: Client, node: Node): Promise<void> => {
  const taints = conditionTaints(node);
  if (taints !== undefined) await client.update(Node, { ...node, spec: { ...node.spec, taints } });
};

const ensureNode = async (client: Client, desired: NodeWritten): Promise<void> => {
  const createdNode = await ensure(client, Node, desired);
  if (createdNode !== undefined) await admit(client, await report(client, createdNode, desired));
};

/** Creates missing nodes, and updates the capacity of existing ones. */
export const ensureNodes = async (
  client: Client,
  clock: Pick<Clock, 'now'>,
  shapes: readonly NodeShape[],
): Promise<void> => {
  const { items } = await listAll(client, Node);
  const present = new Map(items.map((node) => [node.metadata.name, node]));
  const { gitVersion } = await client.version();
  const nodes = nodesOf(shapes, gitVersion, formatTime(clock.now()))[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (let next = nodes.next(); !next.done; next = nodes.next()) {
      const node = present.get(next.value.metadata.name ?? '');
      await (node === undefined
        ? ensureNode(client, next.value)
        : report(client, node, next.value));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
};
