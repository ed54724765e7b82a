import { shortageOf } from './limits.ts';
import type { PendingWork } from './pending-work.ts';
import type { QueueTree } from './queue-tree.ts';
import { findNext, type Pass } from './search.ts';
import type { QueueEntry } from './shapes.ts';

/** Work that no limit blocks, and the pass that found it. */
export interface Turn {
  readonly entry: QueueEntry;
  readonly pass: Pass;
}

const MOST_ROUNDS = 16;

/** Chooses the next work by the limits and reservations of the queues. */
export class Turns {
  readonly #tree: QueueTree;
  readonly #pendingWork: PendingWork;
  readonly #servedEntries: QueueEntry[] = [];

  constructor(tree: QueueTree, pendingWork: PendingWork) {
    this.#tree = tree;
    this.#pendingWork = pendingWork;
  }

  /** Re-evaluates reservations of changed queues. */
  refresh(): void {
    for (const node of this.#tree.stale) {
      const holder = this.#pendingWork.keptRoom.recheck(node, this.#tree.total);
      if (holder !== undefined) this.#servedEntries.push(holder);
    }
    this.#tree.stale.clear();
  }

  /** Nominated work goes first, then guaranteed work regardless of reservations, then the rest. */
  next(): Turn | undefined {
    const { shapes, nominees } = this.#pendingWork;
    for (const entry of nominees) if (this.#canGo(entry)) return { entry, pass: 'shared' };
    const entry = findNext(this.#tree, shapes.openSlots(false), 'guaranteed');
    if (entry !== undefined) return { entry, pass: 'guaranteed' };
    const sharedTurn = this.#nextServed() ?? this.#nextShared();
    return sharedTurn && { entry: sharedTurn, pass: 'shared' };
  }

  /** Holders of a reservation go before the work that it blocked. */
  #nextServed(): QueueEntry | undefined {
    for (;;) {
      const entry = this.#servedEntries.pop();
      if (entry === undefined) return undefined;
      if (this.#canGo(entry)) return entry;
    }
  }

  #canGo(entry: QueueEntry): boolean {
    const { node, shape } = entry;
    const isFirst = node.head === entry && node.isOffered && shape.refusal === undefined;
    return isFirst && shortageOf(entry, this.#tree.total) === undefined;
  }

  #nextShared(): QueueEntry | undefined {
    const open = this.#pendingWork.shapes.openSlots(true);
    let entry = findNext(this.#tree, open, 'shared');
    // A new reservation may exclude this work; the number of rounds is bounded.
    for (let round = 0; entry !== undefined && round < MOST_ROUNDS; round++) {
      if (!this.#pendingWork.keptRoom.keepAbove(entry.node, this.#tree.total)) return entry;
      entry = findNext(this.#tree, open, 'shared');
    }
    return entry;
  }
}
