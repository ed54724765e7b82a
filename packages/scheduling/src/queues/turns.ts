import { shortageOf } from './limits.ts';
import type { PendingWork } from './pending-work.ts';
import type { QueueTree } from './queue-tree.ts';
import { findNext, type Pass } from './search.ts';
import type { Waiting } from './shapes.ts';

/** Work that no limit blocks, and the pass that found it. */
export interface Turn {
  readonly waiting: Waiting;
  readonly pass: Pass;
}

const MOST_ROUNDS = 16;

/** Chooses the next work by the limits and reservations of the queues. */
export class Turns {
  readonly #tree: QueueTree;
  readonly #pending: PendingWork;
  readonly #served: Waiting[] = [];

  constructor(tree: QueueTree, pending: PendingWork) {
    this.#tree = tree;
    this.#pending = pending;
  }

  /** Re-evaluates reservations of changed queues. */
  refresh(): void {
    for (const node of this.#tree.stale) {
      const served = this.#pending.keptRoom.lookAgain(node, this.#tree.total);
      if (served !== undefined) this.#served.push(served);
    }
    this.#tree.stale.clear();
  }

  /** Nominated work goes first, then guaranteed work regardless of reservations, then the rest. */
  next(): Turn | undefined {
    const { shapes, nominated } = this.#pending;
    for (const waiting of nominated) if (this.#canGo(waiting)) return { waiting, pass: 'shared' };
    const waiting = findNext(this.#tree, shapes.openSlots(false), 'guaranteed');
    if (waiting !== undefined) return { waiting, pass: 'guaranteed' };
    const shared = this.#nextServed() ?? this.#nextShared();
    return shared && { waiting: shared, pass: 'shared' };
  }

  /** Holders of a reservation go before the work that it blocked. */
  #nextServed(): Waiting | undefined {
    for (;;) {
      const waiting = this.#served.pop();
      if (waiting === undefined) return undefined;
      if (this.#canGo(waiting)) return waiting;
    }
  }

  #canGo(waiting: Waiting): boolean {
    const { node, shape } = waiting;
    const isFirst = node.head === waiting && node.isOffered && shape.refusal === undefined;
    return isFirst && shortageOf(waiting, this.#tree.total) === undefined;
  }

  #nextShared(): Waiting | undefined {
    const open = this.#pending.shapes.openSlots(true);
    let waiting = findNext(this.#tree, open, 'shared');
    // A new reservation may exclude this work; the number of rounds is bounded.
    for (let round = 0; waiting !== undefined && round < MOST_ROUNDS; round++) {
      if (!this.#pending.keptRoom.keepAbove(waiting.node, this.#tree.total)) return waiting;
      waiting = findNext(this.#tree, open, 'shared');
    }
    return waiting;
  }
}
