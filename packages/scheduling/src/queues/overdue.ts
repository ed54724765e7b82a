import { OrderedTree } from './ordered-tree.ts';
import type { QueueNode } from './queue-node.ts';
import type { QueueEntry } from './shapes.ts';
import type { WorkItem } from './work-item.ts';

/** The cycle of a queue head: for `afterMs` others may pass it, then for `forMs` they may not. */
export interface Patience {
  readonly afterMs: number;
  /** Bounded: running work may never end, and then nothing behind the head would run. */
  readonly forMs: number;
}

export const RESERVE_AFTER_MS = 300_000;
const LEAST_FOR_MS = 1000;

/** Blocks the queue for as long as the head waited. */
export const patienceOf = (afterMs: number): Patience => ({
  afterMs,
  forMs: Math.max(LEAST_FOR_MS, afterMs),
});

const ageInTurn = ({ createdAt }: WorkItem, now: number, { afterMs, forMs }: Patience): number =>
  Math.max(0, now - createdAt) % (afterMs + forMs);

/** True if the head blocks the work behind it now. */
const isOverdue = (item: WorkItem, now: number, patience: Patience): boolean =>
  ageInTurn(item, now, patience) >= patience.afterMs;

/** The time of the next change of `isOverdue`. */
const changesAt = (item: WorkItem, now: number, patience: Patience): number => {
  const age = ageInTurn(item, now, patience);
  const { afterMs, forMs } = patience;
  const start = Math.max(now, item.createdAt) - age;
  return start + (age < afterMs ? afterMs : afterMs + forMs);
};

/** The heads of all queues, sorted by when they become overdue or cease to be. */
export class OverdueHeads {
  readonly #patience: Patience;
  readonly #alarms = new OrderedTree<QueueNode, undefined>(
    (a, b) => a.changesAt - b.changesAt || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
    () => undefined,
  );
  #now = 0;

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  isOverdue(item: WorkItem): boolean {
    return isOverdue(item, this.#now, this.#patience);
  }

  /** Returns the queues whose head changed state up to now. */
  advance(now: number): readonly QueueNode[] {
    this.#now = Math.max(this.#now, now);
    const changedNodes: QueueNode[] = [];
    for (;;) {
      const node = this.#alarms.first;
      if (node === undefined || node.changesAt > this.#now) return changedNodes;
      this.#watch(node);
      changedNodes.push(node);
    }
  }

  /** Call after a queue's line changed. Returns the previous head if it was replaced. */
  follow(node: QueueNode): QueueEntry | undefined {
    const before = node.head;
    if (node.line.first === before) return undefined;
    this.#watch(node);
    return before;
  }

  #watch(node: QueueNode): void {
    if (node.head !== undefined && node.changesAt < Number.POSITIVE_INFINITY) {
      this.#alarms.remove(node);
    }
    const head = node.line.first;
    node.head = head;
    node.isHeadOverdue = head !== undefined && this.isOverdue(head.item);
    if (head === undefined) return;
    node.changesAt = changesAt(head.item, this.#now, this.#patience);
    if (node.changesAt < Number.POSITIVE_INFINITY) this.#alarms.insert(node);
  }
}
