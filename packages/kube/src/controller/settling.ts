import type { Clock } from '../clock/clock.ts';

/** Nobody notices a status that is told so much later. */
const MOST_MS = 200;

/**
 * Gathers what is reported of things that still move, so that one write tells what would otherwise take several,
 * each outdated by the next. What has settled is told at once, unless something was told a moment ago; nothing waits
 * for longer than a user would notice.
 */
export class Settling {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** When the first of the news came that are not told yet. */
  readonly #untold = new Map<string, number>();
  /** When news were told, those of long ago first. */
  readonly #told = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Delay before the change of a key is published; 0 for none. */
  restOf(key: string, isSettled: boolean): number {
    const now = this.#clock.monotonic();
    this.#forgetTold(now);
    const since = this.#untold.get(key) ?? now;
    const lastWrite = this.#told.get(key) ?? Number.NEGATIVE_INFINITY;
    const restMs = (isSettled ? lastWrite : Math.max(since, lastWrite)) + MOST_MS - now;
    if (restMs > 0) {
      this.#untold.set(key, since);
      return restMs;
    }
    this.#untold.delete(key);
    this.#told.set(key, now);
    return 0;
  }

  /** There is nothing to tell of the key. */
  forget(key: string): void {
    this.#untold.delete(key);
  }

  #forgetTold(now: number): void {
    for (const [key, at] of this.#told) {
      if (at + MOST_MS > now) return;
      this.#told.delete(key);
    }
  }
}
