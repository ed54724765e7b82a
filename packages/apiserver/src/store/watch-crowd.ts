import type { StoreEvent } from './store.ts';
import { subjectOf } from './store-event.ts';
import { PORTION_BYTES, PORTION_EVENTS, type WatchQueue } from './watch-queue.ts';

/** Number of watches from which notifying all of them costs more than the write. */
const LARGE = 25;
/** The first write of a burst is flushed alone, and the rest in a flush or two. */
const MOST_HELD = 3;

/** The flush of an event, and whether more of the table is pending. */
export interface Publication {
  readonly flush: number;
  readonly isMoreComing: boolean;
}

/**
 * Watches that get the same events. A large crowd gets the events of successive flushes as one batch: while more is
 * pending, a batch is held, but only for a few flushes, and not beyond one portion.
 */
export class WatchCrowd {
  readonly #watches = new Set<WatchQueue>();
  /** The next batch for all of them. */
  #events: StoreEvent[] = [];
  #bytes = 0;
  /** The first flush of the held batch. */
  #heldSince: number | undefined;

  get size(): number {
    return this.#watches.size;
  }

  get isHeld(): boolean {
    return this.#heldSince !== undefined;
  }

  /** The last revision before the held batch; undefined if there is none. */
  get deliveredUntil(): number | undefined {
    const [first] = this.#events;
    return first && first.revision - 1;
  }

  /** Nothing may be held when a watch joins, as it starts after those events. */
  add(watch: WatchQueue): void {
    this.release();
    this.#watches.add(watch);
  }

  remove(watch: WatchQueue): void {
    this.#watches.delete(watch);
  }

  collect(event: StoreEvent): void {
    this.#events.push(event);
    this.#bytes += subjectOf(event).bytes.length;
  }

  /** Delivers the batch to the watches, unless it is held for pending events. */
  publish({ flush, isMoreComing }: Publication): void {
    const isSmall = this.#events.length < PORTION_EVENTS && this.#bytes < PORTION_BYTES;
    const since = this.#heldSince ?? flush;
    if (isMoreComing && isSmall && this.size >= LARGE && flush - since < MOST_HELD) {
      this.#heldSince = since;
    } else this.release();
  }

  /** Flushes the held batch to every watch. */
  release(): void {
    this.#heldSince = undefined;
    if (this.#events.length === 0) return;
    const batch = { events: this.#events, bytes: this.#bytes };
    this.#events = [];
    this.#bytes = 0;
    for (const watch of this.#watches) watch.push(batch);
  }

  /** Ends all watches, after their backlog. */
  end(): void {
    this.release();
    for (const watch of [...this.#watches]) watch.end();
  }
}
