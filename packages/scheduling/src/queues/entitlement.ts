import { type Amount, type Amounts, plus } from './amounts.ts';
import { deservedOf } from './fair-share.ts';
import type { QueueNode } from './queue-node.ts';

/** The deserved amount of a resource; a queue without `deserved` takes the sum of its children. */
const namedBy = (node: QueueNode, resource: string): Amount => {
  const own = node.facts?.deserved;
  if (own !== undefined && own.size > 0) return own.get(resource) ?? 0;
  let sum: Amount = 0;
  for (const child of node.children) sum = plus(sum, namedBy(child, resource));
  return sum;
};

/**
 * As `namedBy`, but resources that `deserved` does not name get the portion that `deservedOf`
 * derives.
 */
const deservedBy = (node: QueueNode, resource: string, total: Amounts): number => {
  const { facts } = node;
  if (facts !== undefined && facts.deserved.size > 0) return deservedOf(facts, total)(resource);
  let sum = 0;
  for (const child of node.children) sum += deservedBy(child, resource, total);
  return sum;
};

/** True if neither the queue nor any descendant sets `deserved`. */
const isSilent = ({ facts, children }: QueueNode): boolean =>
  (facts?.deserved.size ?? 0) === 0 && [...children].every(isSilent);

/**
 * True if every queue on the path stays within its deserved amount with this work added. Queues
 * without `deserved` defer to their ancestors; if no queue sets it, none is entitled.
 */
export const areEntitled = (
  path: readonly QueueNode[],
  resource: string,
  { amounts, usage }: { amounts: Amounts; usage(node: QueueNode, resource: string): Amount },
): boolean => {
  const speakers = path.filter((node) => !isSilent(node));
  const amount = amounts.get(resource) ?? 0;
  return (
    speakers.length > 0 &&
    speakers.every((node) => plus(usage(node, resource), amount) <= namedBy(node, resource))
  );
};

export const isAboveDeserved = (node: QueueNode, resource: string, total: Amounts): boolean =>
  (node.usage.get(resource) ?? 0) > deservedBy(node, resource, total);
