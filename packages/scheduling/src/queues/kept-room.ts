import type { Amounts } from './amounts.ts';
import { isOfBetterRank } from './fair-share.ts';
import { shortageOf } from './limits.ts';
import type { Branch } from './ordered-tree.ts';
import { type Offer, QueueNode } from './queue-node.ts';
import type { QueueEntry } from './shapes.ts';

/** Checks at most this many overdue heads, the oldest first. */
const LOOKED_AT = 16;

/** A search position: queues or work, and the age of the oldest work in it. */
interface Place {
  readonly since: number;
  readonly at: QueueEntry | QueueNode | Branch<QueueNode, Offer>;
}

const placeOfNode = (node: QueueNode): Place => ({
  since: node.offer?.overdueSince ?? Number.POSITIVE_INFINITY,
  at: node,
});

const placeOfBranch = (branch: Branch<QueueNode, Offer> | undefined): Place[] =>
  branch === undefined ? [] : [{ since: branch.summary.overdueSince, at: branch }];

/** Expands a position into those below it. */
const within = ({ at, since }: Place): readonly Place[] => {
  if (at instanceof QueueNode) {
    if (at.children.size > 0) return placeOfBranch(at.offerTree.root);
    return at.head === undefined ? [] : [{ since, at: at.head }];
  }
  return 'item' in at
    ? []
    : [...placeOfBranch(at.left), placeOfNode(at.value), ...placeOfBranch(at.right)];
};

/** Inserts a position; the array is sorted with the oldest last. */
const put = (places: Place[], place: Place): void => {
  if (place.since === Number.POSITIVE_INFINITY) return;
  let at = places.length;
  while (at > 0 && (places[at - 1] as Place).since < place.since) at -= 1;
  places.splice(at, 0, place);
};

/** Yields the overdue heads below a queue, the oldest first. */
function* overdueIn(node: QueueNode): Generator<QueueEntry> {
  const places: Place[] = [];
  put(places, placeOfNode(node));
  for (let oldest = places.pop(); oldest !== undefined; oldest = places.pop()) {
    if ('item' in oldest.at) yield oldest.at;
    for (const place of within(oldest)) put(places, place);
  }
}

/**
 * The overdue work that this queue's shared limit blocks: the best rank, then the oldest. Without a
 * reservation, smaller work would take every bit that is freed.
 */
const starvingAt = (node: QueueNode, total: Amounts): QueueEntry | undefined => {
  let starvingEntry: QueueEntry | undefined;
  const standing = (entry: QueueEntry) => node.partWith(entry.node).standing;
  const best = node.offerTree.first?.standing;
  for (const head of overdueIn(node).take(LOOKED_AT)) {
    if (starvingEntry !== undefined && !isOfBetterRank(standing(head), standing(starvingEntry)))
      continue;
    const shortage = shortageOf(head, total);
    if (shortage?.queue !== node.name || shortage.limit === 'reserved') continue;
    starvingEntry = head;
    if (best === undefined || !isOfBetterRank(best, standing(head))) return head;
  }
  return starvingEntry;
};

const isNominated = (entry: QueueEntry | undefined): boolean => entry?.nominatedUntil !== undefined;

/** Reserves quota inside queues: each parent queue has at most one holder. */
export class KeptRoom {
  readonly #holders = new Map<QueueEntry, Set<QueueNode>>();

  /** Updates the holders from a queue's parent to the root. Returns true if one changed. */
  keepAbove(leaf: QueueNode, total: Amounts): boolean {
    let isChanged = false;
    for (let at = leaf.parent; at !== undefined; at = at.parent) {
      if (isNominated(at.keptFor)) continue;
      isChanged = this.#keep(at, starvingAt(at, total)) || isChanged;
    }
    return isChanged;
  }

  /** Reserves the quota that evictions free for this work, on every ancestor queue. */
  nominate(entry: QueueEntry): void {
    for (let at = entry.node.parent; at !== undefined; at = at.parent) {
      if (!isNominated(at.keptFor)) this.#keep(at, entry);
    }
  }

  /** Re-evaluates a queue after a change. Returns the holder if it now has enough quota. */
  recheck(node: QueueNode, total: Amounts): QueueEntry | undefined {
    const holder = node.keptFor;
    if (holder === undefined || isNominated(holder)) return undefined;
    this.#keep(node, undefined);
    if (shortageOf(holder, total) === undefined) return holder;
    this.#keep(node, starvingAt(node, total));
    return undefined;
  }

  release(entry: QueueEntry): void {
    for (const node of this.#holders.get(entry) ?? []) this.#keep(node, undefined);
  }

  #keep(node: QueueNode, entry: QueueEntry | undefined): boolean {
    const before = node.keptFor;
    if (before === entry) return false;
    if (before !== undefined) {
      const nodes = this.#holders.get(before);
      nodes?.delete(node);
      if (nodes?.size === 0) this.#holders.delete(before);
    }
    node.keptFor = entry;
    if (entry !== undefined) {
      this.#holders.set(entry, (this.#holders.get(entry) ?? new Set()).add(node));
    }
    return true;
  }
}
