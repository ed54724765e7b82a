import { type Amount, type Amounts, minus, most, plus } from './amounts.ts';
import { isOfBetterRank } from './fair-share.ts';
import type { QueueNode } from './queue-node.ts';
import type { QueueEntry } from './shapes.ts';
import type { Shortage } from './work-item.ts';

interface Level {
  readonly height: number;
  readonly shortage: Shortage;
}

/** Usage of a queue: the current one, or the lowest possible. */
interface Usage {
  usage(node: QueueNode, resource: string): Amount;
  /** Usage, counting at least the guarantee of each child queue. */
  committed(node: QueueNode, resource: string): Amount;
  /** The work that the queue reserves quota for. */
  keptFor(node: QueueNode): QueueEntry | undefined;
}

const NOW: Usage = {
  usage: (node, resource) => node.usage.get(resource) ?? 0,
  committed: (node, resource) => node.committed.get(resource) ?? 0,
  keptFor: (node) => node.keptFor,
};

/** Nothing runs, but guarantees still count. */
const AT_BEST: Usage = {
  usage: () => 0,
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
  usage = NOW,
): Amount => {
  const guarantee = node.facts?.guarantee.get(resource);
  if (guarantee === undefined) return amount;
  const freeGuarantee = most(0, minus(guarantee, usage.committed(node, resource)));
  return most(0, minus(amount, freeGuarantee));
};

const excess = (usage: Amount, more: Amount, limit: Amount): Amount =>
  minus(plus(usage, more), limit);

/** The amount that work asks of an ancestor queue, after the free guarantees in between. */
export const requestAt = (
  node: QueueNode,
  { item, node: leaf }: QueueEntry,
  resource: string,
): Amount => {
  let request = item.requests.get(resource) ?? 0;
  for (let at: QueueNode | undefined = leaf; at !== undefined && at !== node; at = at.parent) {
    request = beyondGuarantee(at, resource, request);
  }
  return request;
};

/** True if work must respect the reservation of a queue. Work of a better rank does not. */
const heeds = (entry: QueueEntry, keptFor: QueueEntry, node: QueueNode): boolean =>
  entry !== keptFor &&
  !isOfBetterRank(node.partWith(entry.node).standing, node.partWith(keptFor.node).standing);

interface Ask {
  readonly entry: QueueEntry;
  readonly resource: string;
  /** The full request. */
  readonly amount: Amount;
  /** The rest of the request after the guarantees of lower queues. */
  readonly request: Amount;
  readonly total: Amounts;
  readonly usage: Usage;
}

/** Checks a shared limit of a queue, counting the guarantees of its children as used. */
const shortageOfShared = (node: QueueNode, limit: Amount, ask: Ask): Shortage | undefined => {
  const { entry, resource, amount, request, usage } = ask;
  // A queue may always use its own guarantee.
  if (request === 0 || beyondGuarantee(node, resource, request, usage) === 0) return undefined;
  const missingAmount = excess(usage.committed(node, resource), request, limit);
  const isRoot = node.parent === undefined;
  if (missingAmount > 0) {
    const isUsed = isRoot && excess(usage.usage(node, resource), amount, limit) > 0;
    return {
      queue: node.name,
      limit: isUsed ? 'total' : 'guarantees',
      resource,
      asked: amount,
      missing: missingAmount,
      allowed: limit,
    };
  }
  const keptFor = usage.keptFor(node);
  if (keptFor === undefined || !heeds(entry, keptFor, node)) return undefined;
  const short = plus(missingAmount, requestAt(node, keptFor, resource));
  if (short <= 0) return undefined;
  const reservedFor = keptFor.item.key;
  return {
    queue: node.name,
    limit: 'reserved',
    resource,
    asked: amount,
    missing: short,
    allowed: limit,
    reservedFor,
  };
};

const shortageAt = (node: QueueNode, ask: Ask): Shortage | undefined => {
  const { resource, amount, total, usage } = ask;
  const capability = node.facts?.capability.get(resource);
  if (capability !== undefined) {
    const missingAmount = excess(usage.usage(node, resource), amount, capability);
    if (missingAmount > 0) {
      return {
        queue: node.name,
        limit: 'capability',
        resource,
        asked: amount,
        missing: missingAmount,
        allowed: capability,
      };
    }
    const sharedShortage = shortageOfShared(node, capability, ask);
    if (sharedShortage !== undefined) return sharedShortage;
  }
  const all = node.parent === undefined ? total.get(resource) : undefined;
  return all === undefined ? undefined : shortageOfShared(node, all, ask);
};

const shortageOfResource = (
  entry: QueueEntry,
  resource: string,
  { amount, total, usage }: { amount: Amount; total: Amounts; usage: Usage },
): Level | undefined => {
  let request = amount;
  let height = 0;
  for (let node: QueueNode | undefined = entry.node; node !== undefined; node = node.parent) {
    const shortage = shortageAt(node, { entry, resource, amount, request, total, usage });
    if (shortage !== undefined) return { height, shortage };
    request = beyondGuarantee(node, resource, request, usage);
    height += 1;
  }
  return undefined;
};

const nearestShortage = (entry: QueueEntry, total: Amounts, usage: Usage): Shortage | undefined => {
  let nearest: Level | undefined;
  for (const [resource, amount] of entry.item.requests) {
    const level = shortageOfResource(entry, resource, { amount, total, usage });
    if (level !== undefined && level.height < (nearest?.height ?? Number.POSITIVE_INFINITY)) {
      nearest = level;
    }
  }
  return nearest?.shortage;
};

/** The limit, nearest to the work's queue, that the work would exceed now. */
export const shortageOf = (entry: QueueEntry, total: Amounts): Shortage | undefined =>
  nearestShortage(entry, total, NOW);

/** The limit that the work would exceed even if nothing ran. */
export const impossibleBy = (entry: QueueEntry, total: Amounts): Shortage | undefined =>
  nearestShortage(entry, total, AT_BEST);

const guaranteeOf = (
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
    const answer = guaranteeOf(leaf, resource, amount);
    if (answer === 'beyond') return false;
    isWithin ||= answer === 'within';
  }
  return isWithin;
};
