import { type Amount, type Amounts, minus, most, plus } from './amounts.ts';
import type { QueueNode } from './queue-node.ts';
import type { Shortage } from './work-item.ts';

interface Level {
  readonly height: number;
  readonly shortage: Shortage;
}

/** The part of an amount that a queue cannot take from what is left of its guarantee, so that it asks the one above. */
const beyondGuarantee = (node: QueueNode, resource: string, amount: Amount): Amount => {
  const guarantee = node.facts?.guarantee.get(resource) ?? 0;
  const left = most(0, minus(guarantee, node.committed.get(resource) ?? 0));
  return most(0, minus(amount, left));
};

const excess = (used: Amount | undefined, more: Amount, limit: Amount): Amount =>
  minus(plus(used ?? 0, more), limit);

const shortageAt = (
  node: QueueNode,
  resource: string,
  { amount, asked, total }: { amount: Amount; asked: Amount; total: Amounts },
): Shortage | undefined => {
  const capability = node.facts?.capability.get(resource);
  if (capability !== undefined) {
    const missing = excess(node.used.get(resource), amount, capability);
    if (missing > 0) return { queue: node.name, limit: 'capability', resource, missing };
    const kept = asked > 0 ? excess(node.committed.get(resource), asked, capability) : 0;
    // A queue may always use its own guarantee.
    if (kept > 0 && beyondGuarantee(node, resource, asked) > 0) {
      return { queue: node.name, limit: 'guarantees', resource, missing: kept };
    }
  }
  const all = node.parent === undefined ? total.get(resource) : undefined;
  if (all === undefined || asked === 0) return undefined;
  const missing = excess(node.committed.get(resource), asked, all);
  if (missing <= 0) return undefined;
  const isUsed = excess(node.used.get(resource), amount, all) > 0;
  return { queue: node.name, limit: isUsed ? 'total' : 'guarantees', resource, missing };
};

const shortageOfResource = (
  leaf: QueueNode,
  resource: string,
  { amount, total }: { amount: Amount; total: Amounts },
): Level | undefined => {
  let asked = amount;
  let height = 0;
  for (let node: QueueNode | undefined = leaf; node !== undefined; node = node.parent) {
    const shortage = shortageAt(node, resource, { amount, asked, total });
    if (shortage !== undefined) return { height, shortage };
    asked = beyondGuarantee(node, resource, asked);
    height += 1;
  }
  return undefined;
};

/** The limit nearest to the queue that work would exceed now. */
export const shortageOf = (
  leaf: QueueNode,
  requests: Amounts,
  total: Amounts,
): Shortage | undefined => {
  let nearest: Level | undefined;
  for (const [resource, amount] of requests) {
    const level = shortageOfResource(leaf, resource, { amount, total });
    if (level !== undefined && level.height < (nearest?.height ?? Number.POSITIVE_INFINITY)) {
      nearest = level;
    }
  }
  return nearest?.shortage;
};

/** The limit that work exceeds by itself, whatever else ends. */
export const capabilityExceeded = (leaf: QueueNode, requests: Amounts): Shortage | undefined => {
  for (let node: QueueNode | undefined = leaf; node !== undefined; node = node.parent) {
    for (const [resource, capability] of node.facts?.capability ?? []) {
      const missing = minus(requests.get(resource) ?? 0, capability);
      if (missing > 0) return { queue: node.name, limit: 'capability', resource, missing };
    }
  }
  return undefined;
};

const guaranteed = (
  leaf: QueueNode,
  resource: string,
  amount: Amount,
): 'not-named' | 'within' | 'beyond' => {
  let rest = amount;
  let isNamed = false;
  for (let node: QueueNode | undefined = leaf; node !== undefined; node = node.parent) {
    isNamed ||= node.facts?.guarantee.has(resource) === true;
    rest = beyondGuarantee(node, resource, rest);
  }
  return !isNamed ? 'not-named' : rest === 0 ? 'within' : 'beyond';
};

/** Whether work needs no more than what is kept for its queue, of some resource and of none more. */
export const isGuaranteed = (leaf: QueueNode, requests: Amounts): boolean => {
  let isWithin = false;
  for (const [resource, amount] of requests) {
    const answer = guaranteed(leaf, resource, amount);
    if (answer === 'beyond') return false;
    isWithin ||= answer === 'within';
  }
  return isWithin;
};
