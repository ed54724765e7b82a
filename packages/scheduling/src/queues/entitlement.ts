import { type Amount, type Amounts, plus } from './amounts.ts';
import type { QueueNode } from './queue-node.ts';

/** What a queue deserves of a resource. One that says nothing of it deserves what the queues below it do. */
const deservedBy = (node: QueueNode, resource: string): Amount => {
  const own = node.facts?.deserved;
  if (own !== undefined && own.size > 0) return own.get(resource) ?? 0;
  let sum: Amount = 0;
  for (const child of node.children) sum = plus(sum, deservedBy(child, resource));
  return sum;
};

/** Whether a queue that uses so much would still have no more than it deserves with this work. */
export const isEntitled = (
  node: QueueNode,
  resource: string,
  { amounts, used }: { amounts: Amounts; used(node: QueueNode, resource: string): Amount },
): boolean => plus(used(node, resource), amounts.get(resource) ?? 0) <= deservedBy(node, resource);

export const isAboveDeserved = (node: QueueNode, resource: string): boolean =>
  (node.used.get(resource) ?? 0) > deservedBy(node, resource);
