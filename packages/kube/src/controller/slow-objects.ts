import type { Clock } from '../clock/clock.ts';

/** A reconcile that computes for longer is worth a word. */
const LONG_MS = 5_000;
/** A reconcile that does not end by itself is aborted. */
export const LONGEST_MS = 300_000;
const LONGEST_REST_MS = 600_000;

export interface TimeTaken {
  readonly tookMs: number;
  /** For how much of it the process computed, for this reconcile or for others that ran beside it. */
  readonly busyMs: number;
  /** True if others had to wait for a turn meanwhile; many that are under way together all take long, in short turns. */
  readonly hadLongTurn: boolean;
}

interface Rest {
  readonly untilMs: number;
  readonly times: number;
}

/**
 * Objects whose reconciles compute for long. Each rests for twice as long as it took, and twice as long again
 * each time, so that the others get their turn. One that only waits, as for a cluster that does not answer, or for a
 * server that many others ask too, does not rest. What a computation beside it held up is quick the next time, and has rested once.
 */
export class SlowObjects {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #rests = new Map<string, Rest>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Takes note of how long a reconcile took. Returns whether that kept others waiting for long. */
  took(key: string, { tookMs, busyMs, hadLongTurn }: TimeTaken): boolean {
    if (!hadLongTurn || busyMs < LONG_MS || busyMs < tookMs / 2) {
      this.#rests.delete(key);
      return false;
    }
    const times = (this.#rests.get(key)?.times ?? 0) + 1;
    const restMs = Math.min(tookMs * 2 ** times, LONGEST_REST_MS);
    this.#rests.set(key, { untilMs: this.#clock.monotonic() + restMs, times });
    return true;
  }

  /** Time for which the object must rest from now on. */
  restOf(key: string): number {
    if (this.#rests.size === 0) return 0;
    return Math.max(0, (this.#rests.get(key)?.untilMs ?? 0) - this.#clock.monotonic());
  }
}
