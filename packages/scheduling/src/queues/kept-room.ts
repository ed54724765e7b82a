import type { Amounts } from './amounts.ts';
import { isOfBetterRank } from './fair-share.ts';
import { shortageOf } from './limits.ts';
import type { Branch } from './ordered-tree.ts';
import { type Offer, QueueNode } from './queue-node.ts';
import type { Waiting } from './shapes.ts';

/** So many are looked at, the oldest first, for one that room must be kept for. */
const LOOKED_AT = 16;

/** Some queues or work, and since when the oldest of it waits. */
interface Place {
  readonly since: number;
  readonly at: Waiting | QueueNode | Branch<QueueNode, Offer>;
}

const placeOfNode = (node: QueueNode): Place => ({
  since: node.offer?.overdueSince ?? Number.POSITIVE_INFINITY,
  at: node,
});

const placeOfBranch = (branch: Branch<QueueNode, Offer> | undefined): Place[] =>
  branch === undefined ? [] : [{ since: branch.summary.overdueSince, at: branch }];

/** Where to look further. */
const within = ({ at, since }: Place): readonly Place[] => {
  if (at instanceof QueueNode) {
    if (at.children.size > 0) return placeOfBranch(at.offering.root);
    return at.head === undefined ? [] : [{ since, at: at.head }];
  }
  return 'item' in at
    ? []
    : [...placeOfBranch(at.left), placeOfNode(at.value), ...placeOfBranch(at.right)];
};

/** Puts a place where it belongs: the oldest is the last. */
const put = (places: Place[], place: Place): void => {
  if (place.since === Number.POSITIVE_INFINITY) return;
  let at = places.length;
  while (at > 0 && (places[at - 1] as Place).since < place.since) at -= 1;
  places.splice(at, 0, place);
};

/** The work below a queue that is first in its line and overdue, the oldest first. */
function* overdueIn(node: QueueNode): Generator<Waiting> {
  const places: Place[] = [];
  put(places, placeOfNode(node));
  for (let oldest = places.pop(); oldest !== undefined; oldest = places.pop()) {
    if ('item' in oldest.at) yield oldest.at;
    for (const place of within(oldest)) put(places, place);
  }
}

/**
 * The one that has waited for too long for what the queues below this one share: of the best rank, and of these the
 * oldest. Others, which ask for less, would otherwise take every bit that is freed.
 */
const starvingAt = (node: QueueNode, total: Amounts): Waiting | undefined => {
  let starving: Waiting | undefined;
  const standing = (waiting: Waiting) => node.partWith(waiting.node).standing;
  const best = node.offering.first?.standing;
  for (const head of overdueIn(node).take(LOOKED_AT)) {
    if (starving !== undefined && !isOfBetterRank(standing(head), standing(starving))) continue;
    const shortage = shortageOf(head, total);
    if (shortage?.queue !== node.name || shortage.limit === 'reserved') continue;
    starving = head;
    if (best === undefined || !isOfBetterRank(best, standing(head))) return head;
  }
  return starving;
};

const isNominated = (waiting: Waiting | undefined): boolean =>
  waiting?.nominatedUntil !== undefined;

/** For whom the queues keep room: at most one for each queue that has queues below. */
export class KeptRoom {
  readonly #holders = new Map<Waiting, Set<QueueNode>>();

  /** Notes for whom room is kept on the way from a queue to the root. Whether that changed anything. */
  keepAbove(leaf: QueueNode, total: Amounts): boolean {
    let isChanged = false;
    for (let at = leaf.parent; at !== undefined; at = at.parent) {
      if (isNominated(at.keptFor)) continue;
      isChanged = this.#keep(at, starvingAt(at, total)) || isChanged;
    }
    return isChanged;
  }

  /** Keeps what is being taken back for work, wherever it would pass. */
  nominate(waiting: Waiting): void {
    for (let at = waiting.node.parent; at !== undefined; at = at.parent) {
      if (!isNominated(at.keptFor)) this.#keep(at, waiting);
    }
  }

  /** After something changed in a queue. The work that room was kept for, if there is enough of it now. */
  lookAgain(node: QueueNode, total: Amounts): Waiting | undefined {
    const holder = node.keptFor;
    if (holder === undefined || isNominated(holder)) return undefined;
    this.#keep(node, undefined);
    if (shortageOf(holder, total) === undefined) return holder;
    this.#keep(node, starvingAt(node, total));
    return undefined;
  }

  release(waiting: Waiting): void {
    for (const node of this.#holders.get(waiting) ?? []) this.#keep(node, undefined);
  }

  #keep(node: QueueNode, waiting: Waiting | undefined): boolean {
    const before = node.keptFor;
    if (before === waiting) return false;
    if (before !== undefined) {
      const nodes = this.#holders.get(before);
      nodes?.delete(node);
      if (nodes?.size === 0) this.#holders.delete(before);
    }
    node.keptFor = waiting;
    if (waiting !== undefined) {
      this.#holders.set(waiting, (this.#holders.get(waiting) ?? new Set()).add(node));
    }
    return true;
  }
}
