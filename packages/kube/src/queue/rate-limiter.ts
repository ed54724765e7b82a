import type { Clock } from '../clock/clock.ts';

/** The delay before the retry of a key that failed. */
export interface RateLimiter<T> {
  /** The wait before the next try; asking counts as a failure. */
  nextDelayMs(key: T): number;
  /** The key succeeded, or nobody will try it again: its failures no longer count. */
  forget(key: T): void;
  /** Number of failures of the key since it was last forgotten. */
  failures(key: T): number;
}

/** Doubles the wait with every failure of a key, up to a limit. */
export const exponentialBackoff = <T>(limits: {
  readonly baseMs: number;
  readonly maxMs: number;
}): RateLimiter<T> => {
  const failures = new Map<T, number>();
  return {
    nextDelayMs(key) {
      const before = failures.get(key) ?? 0;
      failures.set(key, before + 1);
      return Math.min(limits.baseMs * 2 ** before, limits.maxMs);
    },
    forget(key) {
      failures.delete(key);
    },
    failures: (key) => failures.get(key) ?? 0,
  };
};

/** Lets through `perSecond` tries of all keys together, after a burst that refills at that rate. */
export const tokenBucket = <T>(
  clock: Clock,
  limits: { readonly perSecond: number; readonly burst: number },
): RateLimiter<T> => {
  let tokens = limits.burst;
  let filledAt = clock.monotonic();
  return {
    nextDelayMs() {
      const now = clock.monotonic();
      const refill = ((now - filledAt) / 1000) * limits.perSecond;
      tokens = Math.min(limits.burst, tokens + refill) - 1;
      filledAt = now;
      return tokens >= 0 ? 0 : (-tokens / limits.perSecond) * 1000;
    },
    forget() {},
    failures: () => 0,
  };
};

/** Waits as long as the slowest of the limiters requires. */
const slowestOf = <T>(...limiters: readonly RateLimiter<T>[]): RateLimiter<T> => ({
  nextDelayMs: (key) => Math.max(0, ...limiters.map((limiter) => limiter.nextDelayMs(key))),
  forget(key) {
    for (const limiter of limiters) limiter.forget(key);
  },
  failures: (key) => Math.max(0, ...limiters.map((limiter) => limiter.failures(key))),
});

/**
 * 5 ms to 1000 s per key, as Kubernetes controllers wait, and 200 tries a second of all keys. Those let through ten a
 * second, so that one failure of a server that thousands of keys share would leave them idle for minutes.
 */
export const defaultRateLimiter = <T>(clock: Clock): RateLimiter<T> =>
  slowestOf(
    exponentialBackoff<T>({ baseMs: 5, maxMs: 1_000_000 }),
    tokenBucket<T>(clock, { perSecond: 200, burst: 1000 }),
  );
