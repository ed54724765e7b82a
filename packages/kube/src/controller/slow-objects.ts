import type { Clock } from '../clock/clock.ts';

/** A reconcile that takes longer is worth a word. */
const LONG_MS = 5_000;
/** A reconcile that does not end by itself is told to. */
export const LONGEST_MS = 300_000;
const LONGEST_REST_MS = 600_000;
/** An object takes no more than this part of the time from the others. */
const SHARE = 1 / 10;

interface Rest {
  readonly untilMs: number;
  readonly times: number;
}

/**
 * Objects whose reconciles take long. Each rests for many times as long as it took, and longer each time:
 * whatever it is that takes so long, the others get their turn.
 */
export class SlowObjects {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #rests = new Map<string, Rest>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Takes note of how long a reconcile took. Returns whether that was long. */
  took(key: string, tookMs: number): boolean {
    if (tookMs < LONG_MS) {
      this.#rests.delete(key);
      return false;
    }
    const times = (this.#rests.get(key)?.times ?? 0) + 1;
    const restMs = Math.min((tookMs / SHARE) * 2 ** (times - 1), LONGEST_REST_MS);
    this.#rests.set(key, { untilMs: this.#clock.monotonic() + restMs, times });
    return true;
  }

  /** How long the object has to rest from now on. */
  restOf(key: string): number {
    if (this.#rests.size === 0) return 0;
    return Math.max(0, (this.#rests.get(key)?.untilMs ?? 0) - this.#clock.monotonic());
  }
}
