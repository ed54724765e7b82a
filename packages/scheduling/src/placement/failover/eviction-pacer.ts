/** Caps the wait, since the rate may rise in the meantime. */
const LONGEST_WAIT_MS = 1_800_000;

/** Retry interval while evictions are stopped. */
const STANDSTILL_WAIT_MS = 60_000;

/** After a full outage, gives all clusters time to return before evictions resume. */
const RECOVERY_MS = 120_000;

/** The evictions of a namespace that wait, in the order in which they came. */
interface Line {
  readonly numbers: Map<string, number>;
  /** The number of evictions that have come, and of those that have left. */
  arrivals: number;
  departures: number;
}

/**
 * A rate limiter for evictions whose rate may change. An early caller gets a retry delay and keeps its place. Namespaces
 * take turns, so that the thousands of one do not keep the work of another in a lost cluster for hours.
 */
export class EvictionPacer {
  /** By namespace, in the order of their turns. */
  readonly #lines = new Map<string, Line>();
  #lastMs = -Infinity;
  #standstillMs = -Infinity;

  /**
   * Returns undefined if the eviction may start now, else the delay in milliseconds before the next
   * call.
   */
  enter(key: string, perSecond: number, nowMs: number, namespace = ''): number | undefined {
    const line = this.#lines.get(namespace) ?? { numbers: new Map(), arrivals: 0, departures: 0 };
    this.#lines.set(namespace, line);
    const number = line.numbers.get(key) ?? line.arrivals++;
    line.numbers.set(key, number);
    if (perSecond <= 0) {
      this.#standstillMs = nowMs;
      return STANDSTILL_WAIT_MS;
    }
    const recoveryMs = this.#standstillMs + RECOVERY_MS - nowMs;
    if (recoveryMs > 0) return recoveryMs;
    const [firstLine] = this.#lines.values();
    const [firstKey] = line.numbers.keys();
    const isFirst = firstLine === line && firstKey === key;
    const spacingMs = 1000 / perSecond;
    const ahead = isFirst ? 0 : Math.max(1, this.#aheadOf(line, number));
    const leftMs = this.#lastMs + (1 + ahead) * spacingMs - nowMs;
    if (!isFirst) return Math.min(Math.max(leftMs, spacingMs), LONGEST_WAIT_MS);
    if (leftMs > 0) return Math.min(leftMs, LONGEST_WAIT_MS);
    this.forget(key, namespace);
    // The next turn of this namespace comes after those of the others.
    if (this.#lines.delete(namespace) && line.numbers.size > 0) this.#lines.set(namespace, line);
    this.#lastMs = nowMs;
    return undefined;
  }

  /** Removes an eviction that is no longer needed. */
  forget(key: string, namespace = ''): void {
    const line = this.#lines.get(namespace);
    if (line?.numbers.delete(key) !== true) return;
    line.departures += 1;
    if (line.numbers.size === 0) this.#lines.delete(namespace);
  }

  /** The number of evictions before this one, about: some may have left from between. */
  #aheadOf(own: Line, number: number): number {
    const rank = Math.max(0, number - own.departures);
    let ahead = rank;
    let isBefore = true;
    for (const line of this.#lines.values()) {
      if (line === own) isBefore = false;
      else ahead += Math.min(line.numbers.size, isBefore ? rank + 1 : rank);
    }
    return ahead;
  }
}
