/** Caps the wait, since the rate may rise in the meantime. */
const LONGEST_WAIT_MS = 1_800_000;

/** Retry interval while evictions are stopped. */
const STANDSTILL_WAIT_MS = 60_000;

/** After a full outage, gives all clusters time to return before evictions resume. */
const RECOVERY_MS = 120_000;

/**
 * A FIFO rate limiter for evictions whose rate may change. An early caller gets a retry delay and
 * keeps its place.
 */
export class EvictionPacer {
  /** The waiting evictions with their sequence numbers. */
  readonly #waiting = new Map<string, number>();
  #numbers = 0;
  #lastMs = -Infinity;
  #standstillMs = -Infinity;

  /**
   * Returns undefined if the eviction may start now, else the delay in milliseconds before the next
   * call.
   */
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

  /** Removes an eviction that is no longer needed. */
  forget(key: string): void {
    this.#waiting.delete(key);
  }
}
