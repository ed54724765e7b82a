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
  readonly #waitingSince = new Map<string, number>();
  /** When news were told, those of long ago first. */
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

  /** There is nothing to tell of the key. */
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
