import type { StoreEvent } from './store.ts';
import { subjectOf } from './store-event.ts';
import { PORTION_BYTES, PORTION_EVENTS, type WatchQueue } from './watch-queue.ts';

/** From so many watches on, it costs more to tell all of them something than to write it. */
const LARGE = 25;
/** The first write of a burst is flushed alone, and the rest in a flush or two. */
const MOST_HELD = 3;

/** Of which flush something is told, and whether more of the table is on its way to the disk or to the watches. */
export interface Publication {
  readonly flush: number;
  readonly isMoreComing: boolean;
}

/**
 * Watches that get the same. A large crowd is told together what is flushed without a pause: as long as
 * more is on its way to the disk, what there is waits for it, but not for more than a few flushes, and
 * not when it is as much as a reader works on in one go.
 */
export class WatchCrowd {
  readonly #watches = new Set<WatchQueue>();
  /** The next batch for all of them. */
  #events: StoreEvent[] = [];
  #bytes = 0;
  /** The first flush of which something is held back. */
  #heldSince: number | undefined;

  get size(): number {
    return this.#watches.size;
  }

  get isHeld(): boolean {
    return this.#heldSince !== undefined;
  }

  /** The last revision before what is held back; nothing when nothing is. */
  get toldUntil(): number | undefined {
    const [first] = this.#events;
    return first && first.revision - 1;
  }

  /** Nothing may be held when a watch joins: it knows what happened before. */
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

  /** Tells the watches what was collected, unless it is to be told together with what is coming. */
  publish({ flush, isMoreComing }: Publication): void {
    const isSmall = this.#events.length < PORTION_EVENTS && this.#bytes < PORTION_BYTES;
    const since = this.#heldSince ?? flush;
    if (isMoreComing && isSmall && this.size >= LARGE && flush - since < MOST_HELD) {
      this.#heldSince = since;
    } else this.release();
  }

  /** Hands every watch what there is, as one batch. */
  release(): void {
    this.#heldSince = undefined;
    if (this.#events.length === 0) return;
    const batch = { events: this.#events, bytes: this.#bytes };
    this.#events = [];
    this.#bytes = 0;
    for (const watch of this.#watches) watch.push(batch);
  }

  /** Ends all watches, after what already waits for their readers. */
  end(): void {
    this.release();
    for (const watch of [...this.#watches]) watch.end();
  }
}
