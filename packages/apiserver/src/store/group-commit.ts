import { nextTurn } from '@perigee/kube/clock/real-clock';

export interface GroupCommitSteps<T> {
  /** Makes the items durable, all or none. */
  readonly flush: (items: readonly T[]) => Promise<void>;
  /** Publishes durable items. Those of one flush may come in portions. */
  readonly publish: (items: readonly T[], flush: number) => void;
  readonly fail: (items: readonly T[], error: unknown) => void;
}

/** Callbacks of one portion run in the same turn of the event loop, and delay all others. */
const TOLD_AT_ONCE = 64;

/** The disk stays busy after a flush of more items: their callbacks take longer than the next flush saves by having them. */
const MOST_AWAITED = 4;

/**
 * One flush at a time, in order; operations that arrive meanwhile share the next. When a flush fails, all waiting
 * ones fail too, because they were decided upon a state that is lost.
 */
export class GroupCommit<T> {
  readonly #steps: GroupCommitSteps<T>;
  #queue: T[] = [];
  #activeRun: Promise<void> | undefined;
  #flushes = 0;

  constructor(steps: GroupCommitSteps<T>) {
    this.#steps = steps;
  }

  add(item: T): void {
    this.#queue.push(item);
    this.#activeRun ??= this.#run();
  }

  /** Resolves when the queue is empty. */
  async drained(): Promise<void> {
    while (this.#activeRun !== undefined) await this.#activeRun;
  }

  async #run(): Promise<void> {
    // Lets the running code add more items.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const items = this.#take();
      try {
        await this.#steps.flush(items);
      } catch (error) {
        this.#steps.fail([...items, ...this.#take()], error);
        continue;
      }
      await this.#publish(items);
      // Callers of these may write again at once: such writes share the next flush, and need not wait for it.
      if (items.length <= MOST_AWAITED && this.#queue.length > 0) await nextTurn();
    }
    this.#activeRun = undefined;
  }

  /** In portions, so that readers do not wait for hundreds of writers. */
  async #publish(items: readonly T[]): Promise<void> {
    const flush = this.#flushes++;
    for (let from = 0; from < items.length; from += TOLD_AT_ONCE) {
      if (from > 0) await nextTurn();
      this.#steps.publish(items.slice(from, from + TOLD_AT_ONCE), flush);
    }
  }

  #take(): readonly T[] {
    const items = this.#queue;
    this.#queue = [];
    return items;
  }
}
