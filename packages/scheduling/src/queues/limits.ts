import { type Amount, type Amounts, minus, most, plus } from './amounts.ts';
import { isOfBetterRank } from './fair-share.ts';
import type { QueueNode } from './queue-node.ts';
import type { Waiting } from './shapes.ts';
import type { Shortage } from './work-item.ts';

interface Level {
  readonly height: number;
  readonly shortage: Shortage;
}

/** Usage of a queue: the current one, or the lowest possible. */
interface Taken {
  used(node: QueueNode, resource: string): Amount;
  /** Usage, counting at least the guarantee of each child queue. */
  committed(node: QueueNode, resource: string): Amount;
  /** The work that the queue reserves quota for. */
  keptFor(node: QueueNode): Waiting | undefined;
}

const NOW: Taken = {
  used: (node, resource) => node.used.get(resource) ?? 0,
  committed: (node, resource) => node.committed.get(resource) ?? 0,
  keptFor: (node) => node.keptFor,
};

/** Nothing runs, but guarantees still count. */
const AT_BEST: Taken = {
  used: () => 0,
  committed: (node, resource) => node.guaranteed.get(resource) ?? 0,
  keptFor: () => undefined,
};

/**
 * The part of an amount that exceeds the free guarantee of a queue and is therefore asked of its
 * parent.
 */
const beyondGuarantee = (
  node: QueueNode,
  resource: string,
  amount: Amount,
  taken = NOW,
): Amount => {
  const guarantee = node.facts?.guarantee.get(resource);
  if (guarantee === undefined) return amount;
  const left = most(0, minus(guarantee, taken.committed(node, resource)));
  return most(0, minus(amount, left));
};

const excess = (used: Amount, more: Amount, limit: Amount): Amount =>
  minus(plus(used, more), limit);

/** The amount that work asks of an ancestor queue, after the free guarantees in between. */
export const askedOf = (
  node: QueueNode,
  { item, node: leaf }: Waiting,
  resource: string,
): Amount => {
  let asked = item.requests.get(resource) ?? 0;
  for (let at: QueueNode | undefined = leaf; at !== undefined && at !== node; at = at.parent) {
    asked = beyondGuarantee(at, resource, asked);
  }
  return asked;
};

/** True if work must respect the reservation of a queue. Work of a better rank does not. */
const heeds = (waiting: Waiting, keptFor: Waiting, node: QueueNode): boolean =>
  waiting !== keptFor &&
  !isOfBetterRank(node.partWith(waiting.node).standing, node.partWith(keptFor.node).standing);

interface Ask {
  readonly waiting: Waiting;
  readonly resource: string;
  /** The full request. */
  readonly amount: Amount;
  /** The rest of the request after the guarantees of lower queues. */
  readonly asked: Amount;
  readonly total: Amounts;
  readonly taken: Taken;
}

/** Checks a shared limit of a queue, counting the guarantees of its children as used. */
const shortageOfShared = (node: QueueNode, limit: Amount, ask: Ask): Shortage | undefined => {
  const { waiting, resource, amount, asked, taken } = ask;
  // A queue may always use its own guarantee.
  if (asked === 0 || beyondGuarantee(node, resource, asked, taken) === 0) return undefined;
  const missing = excess(taken.committed(node, resource), asked, limit);
  const isRoot = node.parent === undefined;
  if (missing > 0) {
    const isUsed = isRoot && excess(taken.used(node, resource), amount, limit) > 0;
    return { queue: node.name, limit: isUsed ? 'total' : 'guarantees', resource, missing };
  }
  const keptFor = taken.keptFor(node);
  if (keptFor === undefined || !heeds(waiting, keptFor, node)) return undefined;
  const short = plus(missing, askedOf(node, keptFor, resource));
  if (short <= 0) return undefined;
  const reservedFor = keptFor.item.key;
  return { queue: node.name, limit: 'reserved', resource, missing: short, reservedFor };
};

const shortageAt = (node: QueueNode, ask: Ask): Shortage | undefined => {
  const { resource, amount, total, taken } = ask;
  const capability = node.facts?.capability.get(resource);
  if (capability !== undefined) {
    const missing = excess(taken.used(node, resource), amount, capability);
    if (missing > 0) return { queue: node.name, limit: 'capability', resource, missing };
    const shared = shortageOfShared(node, capability, ask);
    if (shared !== undefined) return shared;
  }
  const all = node.parent === undefined ? total.get(resource) : undefined;
  return all === undefined ? undefined : shortageOfShared(node, all, ask);
};

const shortageOfResource = (
  waiting: Waiting,
  resource: string,
  { amount, total, taken }: { amount: Amount; total: Amounts; taken: Taken },
): Level | undefined => {
  let asked = amount;
  let height = 0;
  for (let node: QueueNode | undefined = waiting.node; node !== undefined; node = node.parent) {
    const shortage = shortageAt(node, { waiting, resource, amount, asked, total, taken });
    if (shortage !== undefined) return { height, shortage };
    asked = beyondGuarantee(node, resource, asked, taken);
    height += 1;
  }
  return undefined;
};

const nearestShortage = (waiting: Waiting, total: Amounts, taken: Taken): Shortage | undefined => {
  let nearest: Level | undefined;
  for (const [resource, amount] of waiting.item.requests) {
    const level = shortageOfResource(waiting, resource, { amount, total, taken });
    if (level !== undefined && level.height < (nearest?.height ?? Number.POSITIVE_INFINITY)) {
      nearest = level;
    }
  }
  return nearest?.shortage;
};

/** The limit, nearest to the work's queue, that the work would exceed now. */
export const shortageOf = (waiting: Waiting, total: Amounts): Shortage | undefined =>
  nearestShortage(waiting, total, NOW);

/** The limit that the work would exceed even if nothing ran. */
export const impossibleBy = (waiting: Waiting, total: Amounts): Shortage | undefined =>
  nearestShortage(waiting, total, AT_BEST);

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

/**
 * True if free guarantees cover the request for each resource that the path guarantees, and for at
 * least one.
 */
export const isGuaranteed = (leaf: QueueNode, requests: Amounts): boolean => {
  let isWithin = false;
  for (const [resource, amount] of requests) {
    const answer = guaranteed(leaf, resource, amount);
    if (answer === 'beyond') return false;
    isWithin ||= answer === 'within';
  }
  return isWithin;
};
