import { type Amount, most } from './amounts.ts';
import { type Demand, joinDemands } from './demand.ts';
import type { Dimensions } from './dimensions.ts';
import { compareStandings, type Standing } from './fair-share.ts';
import { OrderedTree } from './ordered-tree.ts';
import type { QueueFacts } from './queue-facts.ts';
import type { Waiting } from './shapes.ts';

/** What a queue, or some siblings, have for a search. */
export interface Offer {
  readonly demand: Demand;
  /** The most that some queue among them may take without asking those above: what is left of guarantees. */
  readonly slack: readonly number[];
  /** When the oldest work came that is first in its line and has waited for too long; without end if there is none. */
  readonly overdueSince: number;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Priority, then age. */
const compareWaiting = ({ item: a }: Waiting, { item: b }: Waiting): number =>
  b.priority - a.priority || a.createdAt - b.createdAt || compareText(a.key, b.key);

const demandOfWaiting = ({ shape }: Waiting, left?: Demand, right?: Demand): Demand =>
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
 * Somebody may have work of very many shapes that all do not fit. It is tried so often for a queue, and then not for a
 * while: what others have to do must not wait for it.
 */
const MOST_IN_VAIN = 100;

const STANDS_FIRST: Standing = { rank: 0, borrows: 0, borrowed: 0, satisfied: 0, running: 0 };

/** A queue in the tree, or a name that some queue or work gives and no queue has. */
export class QueueNode {
  readonly name: string;
  facts: QueueFacts | undefined;
  parent: QueueNode | undefined;
  /** Every queue that names this one as its parent. */
  readonly children = new Set<QueueNode>();
  /** What its work and that of the queues below it takes. */
  readonly used = new Map<string, Amount>();
  /** The same, but with at least its guarantee for every queue below it. */
  readonly committed = new Map<string, Amount>();
  /** What is guaranteed to the queues below it. */
  readonly guaranteed = new Map<string, Amount>();
  /** How much work runs, here and below. */
  running = 0;
  /** The work that waits here, in order. */
  readonly line: OrderedTree<Waiting, Demand>;
  /** Work that can never fit, and work whose data is not settled. */
  readonly aside = new Set<Waiting>();
  /** The queues below that have work to offer, in order. */
  readonly offering: OrderedTree<QueueNode, Offer>;
  standing: Standing = STANDS_FIRST;
  offer: Offer | undefined;
  isOffering = false;
  /** The first in line, and when it becomes overdue or ceases to be. */
  head: Waiting | undefined;
  isHeadOverdue = false;
  changesAt = Number.POSITIVE_INFINITY;
  /** How much of its work was tried in vain of late. */
  triedInVain = 0;
  /** The work below that room is kept for here. */
  keptFor: Waiting | undefined;

  constructor(name: string) {
    this.name = name;
    this.line = new OrderedTree(compareWaiting, demandOfWaiting);
    this.offering = new OrderedTree<QueueNode, Offer>(
      (a, b) => compareStandings(a.standing, b.standing) || compareText(a.name, b.name),
      ({ offer }, left, right) => joinOffers(joinOffers(offer as Offer, left), right),
    );
  }

  /** Since when the first in line waits, if that is too long. */
  get overdueSince(): number {
    return this.isHeadOverdue && this.head !== undefined
      ? this.head.item.createdAt
      : Number.POSITIVE_INFINITY;
  }

  /** Whether nobody has closed it, or a queue above it. */
  get isOpen(): boolean {
    return this.facts?.isOpen === true && this.parent?.isOpen !== false;
  }

  /** Whether a search would get to it. */
  get isOffered(): boolean {
    return this.parent === undefined
      ? this.offer !== undefined
      : this.isOffering && this.parent.isOffered;
  }

  /** Whether all wait for the first in line. */
  get isStrict(): boolean {
    return this.facts?.isStrict === true || this.isHeadOverdue;
  }

  /** What counts for the queue above: what is used, or what is guaranteed, and no less than its own guarantee. */
  counted(of: 'committed' | 'guaranteed', resource: string): Amount {
    return most(this.facts?.guarantee.get(resource) ?? 0, this[of].get(resource) ?? 0);
  }

  /** The part of the tree right below this queue that another one is in. */
  partWith(node: QueueNode): QueueNode {
    let part = node;
    while (part.parent !== undefined && part.parent !== this) part = part.parent;
    return part;
  }

  /** What is left of its guarantee, by dimension. */
  slack(names: readonly string[]): readonly number[] {
    const guarantee = this.facts?.guarantee;
    if (guarantee === undefined || guarantee.size === 0) return NO_SLACK;
    return names.map((name) =>
      Math.max(0, Number(guarantee.get(name) ?? 0) - Number(this.committed.get(name) ?? 0)),
    );
  }

  /** What it has for a search now. A queue that is at its own limits has nothing, so that nobody looks into it. */
  offerNow({ names }: Dimensions): Offer | undefined {
    if (this.facts?.isOpen !== true || this.triedInVain >= MOST_IN_VAIN) return undefined;
    const below = this.children.size > 0 ? this.offering.root?.summary : this.#offerOfLine();
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
    // Most lines offer the same for long, which those above can tell by its being the same object.
    return demand === offer?.demand &&
      offer.slack === NO_SLACK &&
      overdueSince === offer.overdueSince
      ? offer
      : { demand, slack: NO_SLACK, overdueSince };
  }

  /** Whether its own limits hold back all that it has. */
  #isFull({ demand, slack }: Offer, names: readonly string[]): boolean {
    const capability = this.facts?.capability;
    if (capability === undefined || capability.size === 0) return false;
    for (let at = 0; at < names.length; at++) {
      const name = names[at] as string;
      const limit = capability.get(name);
      if (limit === undefined) continue;
      const least = demand.least[at] as number;
      const free = Math.max(0, Number(limit) - Number(this.committed.get(name) ?? 0));
      // Work that asks for none is not held back by those who use too much.
      const isShort = least > Math.max(0, Number(limit) - Number(this.used.get(name) ?? 0));
      if (isShort || least > free + (slack[at] ?? 0)) return true;
    }
    return false;
  }
}
