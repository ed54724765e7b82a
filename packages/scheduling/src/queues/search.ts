import type { Amounts } from './amounts.ts';
import type { Demand } from './demand.ts';
import { isOfBetterRank } from './fair-share.ts';
import { isGuaranteed, requestAt, shortageOf } from './limits.ts';
import type { Branch } from './ordered-tree.ts';
import type { Offer, QueueNode } from './queue-node.ts';
import type { QueueTree } from './queue-tree.ts';
import type { QueueEntry } from './shapes.ts';

/** `guaranteed`: only work that fits into the guarantees of its queue. */
export type Pass = 'guaranteed' | 'shared';

/** Upper bound of the room below a queue, by dimension. */
interface Room {
  /** Without the guarantees of the child queues. */
  readonly shared: readonly number[];
  /** The limits on usage only. */
  readonly capped: readonly number[];
  /** The free guarantees, here and in all ancestors. */
  readonly slack: readonly number[];
}

interface Search {
  readonly names: readonly string[];
  readonly total: Amounts;
  readonly openSlots: number;
  readonly pass: Pass;
}

const roomAbove = ({ names, total }: Search): Room => ({
  shared: names.map((name) => Number(total.get(name) ?? Number.POSITIVE_INFINITY)),
  capped: names.map(() => Number.POSITIVE_INFINITY),
  slack: names.map(() => 0),
});

/** The room in a queue, derived from the room of its parent. */
const roomIn = (node: QueueNode, above: Room, { names }: Search): Room => {
  const { facts, committed, usage } = node;
  const capability = (name: string) =>
    Number(facts?.capability.get(name) ?? Number.POSITIVE_INFINITY);
  const own = node.slack(names);
  const committedOf = (name: string) => Number(committed.get(name) ?? 0);
  // The root's parent room is the cluster total, with no usage subtracted yet.
  const isRoot = node.parent === undefined;
  return {
    shared: names.map((name, at) => {
      const available =
        (own[at] ?? 0) + (above.shared[at] as number) - (isRoot ? committedOf(name) : 0);
      return Math.max(0, Math.min(capability(name) - committedOf(name), available));
    }),
    capped: names.map((name, at) =>
      Math.min(above.capped[at] as number, capability(name) - Number(usage.get(name) ?? 0)),
    ),
    slack: above.slack.map((slack, at) => slack + (own[at] ?? 0)),
  };
};

/** True if none of the work can fit: the search skips the subtree. */
const isOutOfReach = (
  demand: Demand,
  below: readonly number[],
  { shared, capped, slack }: Room,
  { openSlots, pass }: Search,
): boolean => {
  if ((demand.slots & openSlots) === 0) return true;
  let hasGuaranteed = false;
  for (let at = 0; at < shared.length; at++) {
    const least = demand.least[at] as number;
    const more = below[at] ?? 0;
    const most = Math.min((shared[at] as number) + more, Math.max(0, capped[at] as number));
    if (least > most) return true;
    hasGuaranteed ||= (demand.leastAsked[at] as number) <= (slack[at] as number) + more;
  }
  return pass === 'guaranteed' && !hasGuaranteed;
};

const NO_SLACK: readonly number[] = [];

const findInLine = (
  branch: Branch<QueueEntry, Demand> | undefined,
  room: Room,
  search: Search,
): QueueEntry | undefined => {
  if (branch === undefined || isOutOfReach(branch.summary, NO_SLACK, room, search))
    return undefined;
  const before = findInLine(branch.left, room, search);
  if (before !== undefined) return before;
  if (canGo(branch.value, search)) return branch.value;
  return findInLine(branch.right, room, search);
};

const isRefused = ({ shape: { refusal } }: QueueEntry, pass: Pass): boolean =>
  refusal !== undefined && (pass === 'shared' || !refusal.isForOthers);

const canGo = (entry: QueueEntry, { pass, total }: Search): boolean =>
  !isRefused(entry, pass) &&
  shortageOf(entry, total) === undefined &&
  (pass === 'shared' || isGuaranteed(entry.node, entry.item.requests));

/** The room of a queue minus its reservation. */
const roomBesideKept = (room: Room, node: QueueNode, { names }: Search): Room => {
  const { keptFor } = node;
  if (keptFor === undefined) return room;
  return {
    ...room,
    shared: names.map((name, at) =>
      Math.max(0, (room.shared[at] as number) - Number(requestAt(node, keptFor, name))),
    ),
  };
};

interface Rooms {
  readonly all: Room;
  /** The room for work that must respect the reservation. */
  readonly heeding: Room;
  /** The child queue that holds the reservation. */
  readonly holder: QueueNode | undefined;
}

/** Siblings are sorted by rank: once one must respect the reservation, all after it must. */
const findBelow = (
  branch: Branch<QueueNode, Offer> | undefined,
  rooms: Rooms,
  search: Search,
): QueueEntry | undefined => {
  if (branch === undefined) return undefined;
  const { demand, slack } = branch.summary;
  if (isOutOfReach(demand, slack, rooms.all, search)) return undefined;
  const { holder, heeding } = rooms;
  const isHeeding = holder !== undefined && !isOfBetterRank(branch.value.standing, holder.standing);
  const later = isHeeding ? { ...rooms, all: heeding } : rooms;
  return (
    findBelow(branch.left, rooms, search) ??
    findIn(branch.value, later.all, search) ??
    findBelow(branch.right, later, search)
  );
};

const findIn = (node: QueueNode, above: Room, search: Search): QueueEntry | undefined => {
  const { offer } = node;
  if (offer === undefined || isOutOfReach(offer.demand, offer.slack, above, search))
    return undefined;
  const room = roomIn(node, above, search);
  if (node.children.size > 0) {
    const holder = node.keptFor && node.partWith(node.keptFor.node);
    const rooms = { all: room, heeding: roomBesideKept(room, node, search), holder };
    return findBelow(node.offerTree.root, rooms, search);
  }
  if (!node.isStrict) return findInLine(node.line.root, room, search);
  const { first } = node.line;
  return first !== undefined && canGo(first, search) ? first : undefined;
};

/**
 * The first work, in the order of the queues and then of each line, that no limit and no refusal
 * blocks. O(log n) in the waiting work, because subtrees out of reach are skipped in one step.
 */
export const findNext = (
  tree: QueueTree,
  openSlots: number,
  pass: Pass,
): QueueEntry | undefined => {
  const search = { names: tree.dimensions.names, total: tree.total, openSlots, pass };
  return findIn(tree.root, roomAbove(search), search);
};
