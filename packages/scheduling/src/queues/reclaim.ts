import { type Amount, type Amounts, minus } from './amounts.ts';
import { areEntitled, isAboveDeserved } from './entitlement.ts';
import { compareStandings } from './fair-share.ts';
import { shortageOf } from './limits.ts';
import type { QueueNode } from './queue-node.ts';
import type { QueueTree } from './queue-tree.ts';
import type { QueueEntry } from './shapes.ts';
import type { ChosenClusters, Feasibility, RunningWork, WorkItem } from './work-item.ts';

/** Places work as if some running work were evicted. */
export type FitsWithout = (item: WorkItem, evictedKeys: ReadonlySet<string>) => Feasibility;

export interface ReclaimOptions {
  readonly fits: FitsWithout;
  /** Evicts at most this many workloads for one. */
  readonly mostVictims: number;
}

/** Running work to evict, in full, so that other work can run. */
export interface Reclaim {
  readonly item: WorkItem;
  readonly victims: readonly RunningWork[];
  /** The clusters in which the work then fits. */
  readonly clusters: ChosenClusters;
}

interface Candidate {
  readonly work: RunningWork;
  readonly node: QueueNode;
  /** The lowest common ancestor of the candidate's queue and the waiting work's queue. */
  readonly common: QueueNode;
  /** Levels up to `common`: work nearby is evicted first. */
  readonly distance: number;
}

const pathOf = (node: QueueNode): readonly QueueNode[] =>
  node.parent === undefined ? [node] : [node, ...pathOf(node.parent)];

/** The queues from `node` up to, but without, the common ancestor. */
const pathBelow = (node: QueueNode, common: QueueNode | undefined): readonly QueueNode[] => {
  const path = pathOf(node);
  return path.slice(0, common === undefined ? path.length : path.indexOf(common));
};

const usedNow = (node: QueueNode, resource: string): Amount => node.usage.get(resource) ?? 0;

/** True if the eviction would bring a queue below its guarantee: that is never taken. */
const breaksGuarantee = ({ work, node }: Candidate): boolean => {
  for (let at: QueueNode | undefined = node; at !== undefined; at = at.parent) {
    for (const [resource, guarantee] of at.facts?.guarantee ?? []) {
      const amount = work.amounts.get(resource);
      if (amount !== undefined && minus(usedNow(at, resource), amount) < guarantee) {
        return true;
      }
    }
  }
  return false;
};

/**
 * True if the queue would be entitled to the evicted work right away: evicting it would gain
 * nothing.
 */
const couldReturn = ({ work }: Candidate, below: readonly QueueNode[]): boolean => {
  const others = (at: QueueNode, resource: string): Amount =>
    minus(usedNow(at, resource), work.amounts.get(resource) ?? 0);
  return [...work.amounts.keys()].some((resource) =>
    areEntitled(below, resource, { amounts: work.amounts, usage: others }),
  );
};

/** True if the candidate may be evicted for the waiting work. */
const mayTake = (entry: QueueEntry, candidate: Candidate, total: Amounts): boolean => {
  const { work, node, common } = candidate;
  if (node === entry.node) return work.priority < entry.item.priority;
  const theirs = pathBelow(node, common);
  const ours = pathBelow(entry.node, common);
  if (theirs.some(({ facts }) => facts?.isReclaimable !== true)) return false;
  const amounts = entry.item.requests;
  const isDue = [...amounts.keys()].some(
    (resource) =>
      work.amounts.has(resource) &&
      areEntitled(ours, resource, { amounts, usage: usedNow }) &&
      theirs.every((at) => isAboveDeserved(at, resource, total)),
  );
  return isDue && !couldReturn(candidate, theirs) && !breaksGuarantee(candidate);
};

/** By distance, the queue's priority, the work's priority, then the youngest first. */
const compareCandidates = (a: Candidate, b: Candidate): number =>
  a.distance - b.distance ||
  (a.node.facts?.priority ?? 0) - (b.node.facts?.priority ?? 0) ||
  a.work.priority - b.work.priority ||
  b.work.startedAt - a.work.startedAt ||
  (a.work.key < b.work.key ? -1 : 1);

/** Chooses victims. It restores the usage it simulates; the caller evicts. */
export class Reclaimer {
  readonly #tree: QueueTree;
  readonly #workOf: (node: QueueNode) => Iterable<RunningWork>;

  constructor(tree: QueueTree, workOf: (node: QueueNode) => Iterable<RunningWork>) {
    this.#tree = tree;
    this.#workOf = workOf;
  }

  /** Victims that let this work run; undefined if that is impossible or not entitled. */
  choose(entry: QueueEntry, { fits, mostVictims }: ReclaimOptions): Reclaim | undefined {
    const victims: Candidate[] = [];
    const { item } = entry;
    const victimKeys = (): ReadonlySet<string> => new Set(victims.map(({ work }) => work.key));
    const isEnough = (): boolean =>
      shortageOf(entry, this.#tree.total) === undefined && fits(item, victimKeys()).kind === 'fits';
    try {
      for (const candidate of this.#candidates(entry)) {
        if (victims.length === mostVictims) return undefined;
        // Earlier victims may have brought this queue down to its deserved amount.
        if (!mayTake(entry, candidate, this.#tree.total)) continue;
        this.#take(victims, candidate);
        if (isEnough()) break;
      }
      if (victims.length === 0 || !isEnough()) return undefined;
      this.#spare(victims, isEnough);
      const answer = fits(item, victimKeys());
      return answer.kind === 'fits'
        ? { item, victims: victims.map(({ work }) => work), clusters: answer.clusters }
        : undefined;
    } finally {
      for (const { node, work } of victims) this.#tree.addUsage(node, work.amounts, 1);
    }
  }

  #take(victims: Candidate[], candidate: Candidate): void {
    victims.push(candidate);
    this.#tree.addUsage(candidate.node, candidate.work.amounts, -1);
  }

  /** Drops victims that turned out not to be needed, the most valuable first. */
  #spare(victims: Candidate[], isEnough: () => boolean): void {
    for (const candidate of victims.toReversed()) {
      const at = victims.indexOf(candidate);
      victims.splice(at, 1);
      this.#tree.addUsage(candidate.node, candidate.work.amounts, 1);
      if (isEnough()) continue;
      victims.splice(at, 0, candidate);
      this.#tree.addUsage(candidate.node, candidate.work.amounts, -1);
    }
  }

  #candidates(entry: QueueEntry): readonly Candidate[] {
    const path = pathOf(entry.node);
    const all: Candidate[] = [];
    for (const node of this.#tree.nodes()) {
      const common = pathOf(node).find((at) => path.includes(at));
      if (common === undefined) continue;
      const distance = path.indexOf(common);
      for (const work of this.#workOf(node)) {
        const candidate = { work, node, common, distance };
        if (mayTake(entry, candidate, this.#tree.total)) all.push(candidate);
      }
    }
    return all.sort(compareCandidates);
  }
}

/** Yields the head of each open queue in sibling order, full queues included. */
export function* headsInOrder(node: QueueNode): Generator<QueueEntry> {
  if (node.facts?.isOpen !== true) return;
  if (node.children.size === 0) {
    if (node.head !== undefined) yield node.head;
    return;
  }
  const children = [...node.children].sort(
    (a, b) => compareStandings(a.standing, b.standing) || (a.name < b.name ? -1 : 1),
  );
  for (const child of children) yield* headsInOrder(child);
}
