/** The number of workloads of a queue by state. */
export interface QueueCounts {
  readonly pending: number;
  readonly inqueue: number;
  readonly running: number;
  readonly completed: number;
}

/** The counted state of one workload, and its clusters. */
export interface CountedWork {
  readonly queue: string;
  readonly as: keyof QueueCounts;
  readonly clusters: readonly string[];
}

const NO_COUNTS: QueueCounts = { pending: 0, inqueue: 0, running: 0, completed: 0 };

/** Counts workloads by queue and state; each counts once, in its last state. */
export class WorkCounts {
  readonly #work = new Map<string, CountedWork>();
  readonly #counts = new Map<string, QueueCounts>();
  /** Queues whose counts changed since the caller last cleared this set. */
  readonly changes = new Set<string>();

  of(queue: string): QueueCounts {
    return this.#counts.get(queue) ?? NO_COUNTS;
  }

  clustersOf(key: string): readonly string[] {
    return this.#work.get(key)?.clusters ?? [];
  }

  /** Replaces the state of a workload; undefined removes it. */
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
    this.changes.add(queue);
  }
}
