import type { StoreEvent } from './store.ts';
import { subjectOf } from './store-event.ts';
import type { WatchQueue } from './watch-queue.ts';

/** From so many watches on, it costs more to tell all of them something than to write it. */
const LARGE = 25;
/** The first write of a burst is flushed alone, and the rest in a flush or two. */
const MOST_HELD = 3;

/**
 * Watches that get the same. A large crowd is told together what is flushed without a pause: as long as
 * more is on its way to the disk, what there is waits for it, but not for more than a few flushes.
 */
export class WatchCrowd {
  readonly #watches = new Set<WatchQueue>();
  /** What the publication that goes on has for them. */
  #events: StoreEvent[] = [];
  #bytes = 0;
  /** How many publications wait to be told together with the next one. */
  #held = 0;

  get size(): number {
    return this.#watches.size;
  }

  get isHeld(): boolean {
    return this.#held > 0;
  }

  add(watch: WatchQueue): void {
    this.#watches.add(watch);
  }

  remove(watch: WatchQueue): void {
    this.#watches.delete(watch);
  }

  collect(event: StoreEvent): void {
    this.#events.push(event);
    this.#bytes += subjectOf(event).bytes.length;
  }

  /** Hands every watch what was collected, as one batch, and lets them have it unless more is coming. */
  publish(isMoreComing: boolean): void {
    if (this.#events.length > 0) {
      const batch = { events: this.#events, bytes: this.#bytes };
      this.#events = [];
      this.#bytes = 0;
      for (const watch of this.#watches) watch.push(batch);
    }
    if (isMoreComing && this.size >= LARGE && this.#held < MOST_HELD) this.#held++;
    else this.release();
  }

  release(): void {
    this.#held = 0;
    for (const watch of this.#watches) watch.wake();
  }

  /** Ends all watches, after what already waits for their readers. */
  end(): void {
    for (const watch of [...this.#watches]) watch.end();
  }
}
