import { nextTurn } from '@perigee/kube/clock/real-clock';

export interface GroupCommitSteps<T> {
  /** Makes the items durable, all or none. */
  readonly flush: (items: readonly T[]) => Promise<void>;
  /** Shows durable items to the world. */
  readonly publish: (items: readonly T[]) => void;
  readonly fail: (items: readonly T[], error: unknown) => void;
}

/**
 * One flush at a time, in order; whatever arrives while it lasts shares the next. When a flush fails,
 * all that waits fails with it, because it was decided upon what is now lost.
 */
export class GroupCommit<T> {
  readonly #steps: GroupCommitSteps<T>;
  #waiting: T[] = [];
  #running: Promise<void> | undefined;

  constructor(steps: GroupCommitSteps<T>) {
    this.#steps = steps;
  }

  add(item: T): void {
    this.#waiting.push(item);
    this.#running ??= this.#run();
  }

  /** Resolves when nothing waits any more. */
  async drained(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    // Lets the code that runs now add what else it has.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const items = this.#take();
      try {
        await this.#steps.flush(items);
      } catch (error) {
        this.#steps.fail([...items, ...this.#take()], error);
        continue;
      }
      this.#steps.publish(items);
      // Who is told of these may write at once what follows: that shares the next flush, and need not wait for it.
      if (this.#waiting.length > 0) await nextTurn();
    }
    this.#running = undefined;
  }

  #take(): readonly T[] {
    const items = this.#waiting;
    this.#waiting = [];
    return items;
  }
}
