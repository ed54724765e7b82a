import { type Amount, type Amounts, plus } from './amounts.ts';
import { deservedOf } from './fair-share.ts';
import type { QueueNode } from './queue-node.ts';

/** What a queue deserves of a resource by name; one that names nothing deserves what the queues below it do. */
const namedBy = (node: QueueNode, resource: string): Amount => {
  const own = node.facts?.deserved;
  if (own !== undefined && own.size > 0) return own.get(resource) ?? 0;
  let sum: Amount = 0;
  for (const child of node.children) sum = plus(sum, namedBy(child, resource));
  return sum;
};

/** The same, and of what it does not name the same part as of what it does. */
const deservedBy = (node: QueueNode, resource: string, total: Amounts): number => {
  const { facts } = node;
  if (facts !== undefined && facts.deserved.size > 0) return deservedOf(facts, total)(resource);
  let sum = 0;
  for (const child of node.children) sum += deservedBy(child, resource, total);
  return sum;
};

/** Whether neither the queue nor one below it says what it deserves. */
const isSilent = ({ facts, children }: QueueNode): boolean =>
  (facts?.deserved.size ?? 0) === 0 && [...children].every(isSilent);

/**
 * Whether queues, each a part of the next, would still have no more of a resource than they deserve with this work.
 * One that says nothing goes by those above it; where nobody says anything, nobody is due anything.
 */
export const areEntitled = (
  path: readonly QueueNode[],
  resource: string,
  { amounts, used }: { amounts: Amounts; used(node: QueueNode, resource: string): Amount },
): boolean => {
  const outspoken = path.filter((node) => !isSilent(node));
  const asked = amounts.get(resource) ?? 0;
  return (
    outspoken.length > 0 &&
    outspoken.every((node) => plus(used(node, resource), asked) <= namedBy(node, resource))
  );
};

export const isAboveDeserved = (node: QueueNode, resource: string, total: Amounts): boolean =>
  (node.used.get(resource) ?? 0) > deservedBy(node, resource, total);
