/** How much work of a queue is in which state. */
export interface QueueCounts {
  readonly pending: number;
  readonly inqueue: number;
  readonly running: number;
  readonly completed: number;
}

/** Work as it is counted, and the clusters that it has a part in. */
export interface CountedWork {
  readonly queue: string;
  readonly as: keyof QueueCounts;
  readonly clusters: readonly string[];
}

const NO_COUNTS: QueueCounts = { pending: 0, inqueue: 0, running: 0, completed: 0 };

/** Counts the work of queues: each piece once, as it was last told. */
export class WorkCounts {
  readonly #work = new Map<string, CountedWork>();
  readonly #counts = new Map<string, QueueCounts>();
  /** Queues with other numbers than were last asked for. */
  readonly changed = new Set<string>();

  of(queue: string): QueueCounts {
    return this.#counts.get(queue) ?? NO_COUNTS;
  }

  clustersOf(key: string): readonly string[] {
    return this.#work.get(key)?.clusters ?? [];
  }

  /** Work is counted so from now on; not at all without a word about it. */
  set(key: string, next: CountedWork | undefined): void {
    const before = this.#work.get(key);
    if (before !== undefined) this.#add(before, -1);
    if (next === undefined) {
      this.#work.delete(key);
      return;
    }
    this.#work.set(key, next);
    this.#add(next, 1);
  }

  #add({ queue, as }: CountedWork, by: 1 | -1): void {
    const counts = this.of(queue);
    const next = { ...counts, [as]: counts[as] + by };
    if (Object.values(next).every((count) => count === 0)) this.#counts.delete(queue);
    else this.#counts.set(queue, next);
    this.changed.add(queue);
  }
}
