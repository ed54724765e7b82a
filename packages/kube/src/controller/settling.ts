import type { Clock } from '../clock/clock.ts';

/** Nobody notices a status that is written so much later. */
const MOST_MS = 200;

/**
 * Gathers reports about objects that still change, so that one write replaces several,
 * each outdated by the next. A final state is written at once, unless another was written a moment ago; nothing waits
 * for longer than a user would notice.
 */
export class Settling {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Time of the first report that is not written yet. */
  readonly #waitingSince = new Map<string, number>();
  /** Times of the last writes, the oldest first. */
  readonly #writtenAt = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Delay before the change of a key is published; 0 for none. */
  restOf(key: string, isSettled: boolean): number {
    const now = this.#clock.monotonic();
    this.#forgetOldWrites(now);
    const since = this.#waitingSince.get(key) ?? now;
    const lastWrite = this.#writtenAt.get(key) ?? Number.NEGATIVE_INFINITY;
    const restMs = (isSettled ? lastWrite : Math.max(since, lastWrite)) + MOST_MS - now;
    if (restMs > 0) {
      this.#waitingSince.set(key, since);
      return restMs;
    }
    this.#waitingSince.delete(key);
    this.#writtenAt.set(key, now);
    return 0;
  }

  /** The key has nothing to report. */
  forget(key: string): void {
    this.#waitingSince.delete(key);
  }

  #forgetOldWrites(now: number): void {
    for (const [key, at] of this.#writtenAt) {
      if (at + MOST_MS > now) return;
      this.#writtenAt.delete(key);
    }
  }
}
