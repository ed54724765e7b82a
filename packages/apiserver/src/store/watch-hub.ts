import type { StoreEvent } from './store.ts';
import { subjectOf } from './store-event.ts';
import { type Publication, WatchCrowd } from './watch-crowd.ts';
import { WatchQueue, type WatchQueueOptions } from './watch-queue.ts';

/**
 * The watches of one table. Those of the same prefix share their batches. The crowd of a prefix is
 * found by cutting the key, so that an event costs the same for one namespace and for a thousand.
 */
export class WatchHub {
  readonly #byLength = new Map<number, Map<string, WatchCrowd>>();
  readonly #heldCrowds = new Set<WatchCrowd>();

  get isEmpty(): boolean {
    return this.#byLength.size === 0;
  }

  open(prefix: string, options: Omit<WatchQueueOptions, 'crowd' | 'onEnd'>): WatchQueue {
    const crowds = this.#byLength.get(prefix.length) ?? new Map<string, WatchCrowd>();
    const crowd = crowds.get(prefix) ?? new WatchCrowd();
    const watch = new WatchQueue({
      ...options,
      revision: () => crowd.deliveredUntil ?? options.revision(),
      crowd,
      onEnd: () => {
        crowd.remove(watch);
        if (crowd.size === 0) this.#forget(prefix, crowd);
      },
    });
    crowd.add(watch);
    this.#heldCrowds.delete(crowd);
    crowds.set(prefix, crowd);
    this.#byLength.set(prefix.length, crowds);
    return watch;
  }

  /**
   * Delivers to every watch its matching events as one batch. While more of the table is pending, another `publish`
   * or `release` follows.
   */
  publish(events: readonly StoreEvent[], publication: Publication): void {
    const reached = new Set(this.#heldCrowds);
    for (const event of events) {
      const { key } = subjectOf(event);
      for (const [length, crowds] of this.#byLength) {
        const crowd = crowds.get(key.slice(0, length));
        if (crowd === undefined) continue;
        crowd.collect(event);
        reached.add(crowd);
      }
    }
    for (const crowd of reached) {
      crowd.publish(publication);
      if (crowd.isHeld) this.#heldCrowds.add(crowd);
      else this.#heldCrowds.delete(crowd);
    }
  }

  /** Flushes the held batches of all watches. */
  release(): void {
    for (const crowd of this.#heldCrowds) crowd.release();
    this.#heldCrowds.clear();
  }

  /** Ends all watches, after their backlog. */
  end(): void {
    const crowds = [...this.#byLength.values()].flatMap((byPrefix) => [...byPrefix.values()]);
    for (const crowd of crowds) crowd.end();
  }

  #forget(prefix: string, crowd: WatchCrowd): void {
    const crowds = this.#byLength.get(prefix.length);
    crowds?.delete(prefix);
    if (crowds?.size === 0) this.#byLength.delete(prefix.length);
    this.#heldCrowds.delete(crowd);
  }
}
