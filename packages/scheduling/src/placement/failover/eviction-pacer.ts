/** Nobody is sent away for longer than this: the rate may have risen meanwhile. */
const LONGEST_WAIT_MS = 1_800_000;

/** When nobody may go, that may be over at any moment. */
const STANDSTILL_WAIT_MS = 60_000;

/** Clusters that were all lost together come back one after another, and each has the time to do so. */
const RECOVERY_MS = 120_000;

/**
 * Lets evictions through one after another, at a rate that may change. Whoever comes too early is told
 * when to come again, and keeps its place.
 */
export class EvictionPacer {
  /** Who waits, in the order of their coming, by number. */
  readonly #waiting = new Map<string, number>();
  #numbers = 0;
  #lastMs = -Infinity;
  #standstillMs = -Infinity;

  /** Nothing when the eviction may go on now, or else how long to wait before asking again. */
  enter(key: string, perSecond: number, nowMs: number): number | undefined {
    const number = this.#waiting.get(key) ?? this.#numbers++;
    this.#waiting.set(key, number);
    if (perSecond <= 0) {
      this.#standstillMs = nowMs;
      return STANDSTILL_WAIT_MS;
    }
    const recoveryMs = this.#standstillMs + RECOVERY_MS - nowMs;
    if (recoveryMs > 0) return recoveryMs;
    const [first = number] = this.#waiting.values();
    const spacingMs = 1000 / perSecond;
    const leftMs = this.#lastMs + (1 + number - first) * spacingMs - nowMs;
    if (number !== first) return Math.min(Math.max(leftMs, spacingMs), LONGEST_WAIT_MS);
    if (leftMs > 0) return Math.min(leftMs, LONGEST_WAIT_MS);
    this.#waiting.delete(key);
    this.#lastMs = nowMs;
    return undefined;
  }

  /** The eviction is no longer wanted. */
  forget(key: string): void {
    this.#waiting.delete(key);
  }
}
