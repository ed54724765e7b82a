import { type Amount, most } from './amounts.ts';
import { type Demand, joinDemands } from './demand.ts';
import type { Dimensions } from './dimensions.ts';
import { compareStandings, type Standing } from './fair-share.ts';
import { OrderedTree } from './ordered-tree.ts';
import type { QueueFacts } from './queue-facts.ts';
import type { QueueEntry } from './shapes.ts';

/** Summary of one queue, or a subtree of siblings, for the search. */
export interface Offer {
  readonly demand: Demand;
  /** The largest free guarantee of any queue in it. */
  readonly slack: readonly number[];
  /** Creation time of the oldest overdue head; infinite if there is none. */
  readonly overdueSince: number;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** By priority, then age. */
const compareEntries = ({ item: a }: QueueEntry, { item: b }: QueueEntry): number =>
  b.priority - a.priority || a.createdAt - b.createdAt || compareText(a.key, b.key);

const demandOfEntry = ({ shape }: QueueEntry, left?: Demand, right?: Demand): Demand =>
  joinDemands(joinDemands(shape.demand, left), right);

const NO_SLACK: readonly number[] = [];

const joinSlack = (a: readonly number[], b: readonly number[]): readonly number[] => {
  if (a === b || b.length === 0) return a;
  if (a.length === 0) return b;
  return a.map((value, at) => Math.max(value, b[at] as number));
};

const joinOffers = (a: Offer, b: Offer | undefined): Offer => {
  if (b === undefined) return a;
  const demand = joinDemands(a.demand, b.demand);
  const slack = joinSlack(a.slack, b.slack);
  const overdueSince = Math.min(a.overdueSince, b.overdueSince);
  const isLike = (offer: Offer) =>
    demand === offer.demand && slack === offer.slack && overdueSince === offer.overdueSince;
  return isLike(a) ? a : isLike(b) ? b : { demand, slack, overdueSince };
};

/**
 * Caps failed placement attempts per queue and window: a tenant with very many shapes that all fail
 * must not delay other queues.
 */
const MOST_IN_VAIN = 100;

const STANDS_FIRST: Standing = { rank: 0, borrows: 0, borrowed: 0, satisfied: 0, running: 0 };

/** A queue in the tree, or a placeholder for a name that is referenced before its Queue exists. */
export class QueueNode {
  readonly name: string;
  facts: QueueFacts | undefined;
  parent: QueueNode | undefined;
  /** Every queue that names this one as its parent. */
  readonly children = new Set<QueueNode>();
  /** Usage of this queue and all its descendants. */
  readonly usage = new Map<string, Amount>();
  /** Usage, counting at least the guarantee of each descendant. */
  readonly committed = new Map<string, Amount>();
  /** The amount guaranteed to its descendants. */
  readonly guaranteed = new Map<string, Amount>();
  /** The number of running workloads, descendants included. */
  running = 0;
  /** The waiting work, in order. */
  readonly line: OrderedTree<QueueEntry, Demand>;
  /** Work that can never fit, or whose data claims are not settled. */
  readonly aside = new Set<QueueEntry>();
  /** The child queues with work to offer, in order. */
  readonly offerTree: OrderedTree<QueueNode, Offer>;
  standing: Standing = STANDS_FIRST;
  offer: Offer | undefined;
  isOffering = false;
  /** The first work in line, and the time at which its overdue state changes next. */
  head: QueueEntry | undefined;
  isHeadOverdue = false;
  changesAt = Number.POSITIVE_INFINITY;
  /** Failed placement attempts in the current window. */
  triedInVain = 0;
  /** The work below that this queue reserves quota for. */
  keptFor: QueueEntry | undefined;

  constructor(name: string) {
    this.name = name;
    this.line = new OrderedTree(compareEntries, demandOfEntry);
    this.offerTree = new OrderedTree<QueueNode, Offer>(
      (a, b) => compareStandings(a.standing, b.standing) || compareText(a.name, b.name),
      ({ offer }, left, right) => joinOffers(joinOffers(offer as Offer, left), right),
    );
  }

  /** Creation time of the head if it is overdue, else infinite. */
  get overdueSince(): number {
    return this.isHeadOverdue && this.head !== undefined
      ? this.head.item.createdAt
      : Number.POSITIVE_INFINITY;
  }

  /** False if this queue or an ancestor is closed. */
  get isOpen(): boolean {
    return this.facts?.isOpen === true && this.parent?.isOpen !== false;
  }

  /** True if the search reaches this queue. */
  get isOffered(): boolean {
    return this.parent === undefined
      ? this.offer !== undefined
      : this.isOffering && this.parent.isOffered;
  }

  /** True if nothing may pass the head. */
  get isStrict(): boolean {
    return this.facts?.isStrict === true || this.isHeadOverdue;
  }

  /** Amount charged to the parent: its own value, but at least its guarantee. */
  counted(of: 'committed' | 'guaranteed', resource: string): Amount {
    return most(this.facts?.guarantee.get(resource) ?? 0, this[of].get(resource) ?? 0);
  }

  /** The child of this queue that contains the given node. */
  partWith(node: QueueNode): QueueNode {
    let part = node;
    while (part.parent !== undefined && part.parent !== this) part = part.parent;
    return part;
  }

  /** The free part of its guarantee, by dimension. */
  slack(names: readonly string[]): readonly number[] {
    const guarantee = this.facts?.guarantee;
    if (guarantee === undefined || guarantee.size === 0) return NO_SLACK;
    return names.map((name) =>
      Math.max(0, Number(guarantee.get(name) ?? 0) - Number(this.committed.get(name) ?? 0)),
    );
  }

  /** Its current offer. A queue at its own limits offers nothing, so that the search skips it. */
  offerNow({ names }: Dimensions): Offer | undefined {
    if (this.facts?.isOpen !== true || this.triedInVain >= MOST_IN_VAIN) return undefined;
    const below = this.children.size > 0 ? this.offerTree.root?.summary : this.#offerOfLine();
    if (below === undefined || this.#isFull(below, names)) return undefined;
    const own = this.slack(names);
    if (own.length === 0) return below;
    return {
      ...below,
      slack: own.map((value, at) => value + (below.slack[at] ?? 0)),
    };
  }

  #offerOfLine(): Offer | undefined {
    const { line } = this;
    const demand = this.isStrict ? line.first?.shape.demand : line.root?.summary;
    if (demand === undefined) return undefined;
    const { offer, overdueSince } = this;
    // Reuses the object when nothing changed: ancestors compare by identity.
    return demand === offer?.demand &&
      offer.slack === NO_SLACK &&
      overdueSince === offer.overdueSince
      ? offer
      : { demand, slack: NO_SLACK, overdueSince };
  }

  /** True if its own limits block even the smallest work it offers. */
  #isFull({ demand, slack }: Offer, names: readonly string[]): boolean {
    const capability = this.facts?.capability;
    if (capability === undefined || capability.size === 0) return false;
    for (let at = 0; at < names.length; at++) {
      const name = names[at] as string;
      const limit = capability.get(name);
      if (limit === undefined) continue;
      const least = demand.least[at] as number;
      const free = Math.max(0, Number(limit) - Number(this.committed.get(name) ?? 0));
      // Work that requests none of a resource is not blocked by its overuse.
      const isShort = least > Math.max(0, Number(limit) - Number(this.usage.get(name) ?? 0));
      if (isShort || least > free + (slack[at] ?? 0)) return true;
    }
    return false;
  }
}
