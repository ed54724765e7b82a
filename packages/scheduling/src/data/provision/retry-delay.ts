/** Back-off after failed requests to a provisioner. */
export interface RetrySettings {
  readonly maxRetries: number;
  readonly initialBackoffMs: number;
  readonly maxBackoffMs: number;
  readonly backoffMultiplier: number;
  /** For one request, including its response. */
  readonly timeoutMs: number;
}

/** Random part of the delay, against synchronised retries. */
const JITTER = 0.2;

/**
 * The delay before the next request after consecutive failures: exponential back-off up to
 * `maxRetries`, then the long interval. It never gives up, because the cause may be fixed.
 */
export const retryDelayMs = (
  { maxRetries, initialBackoffMs, maxBackoffMs, backoffMultiplier }: RetrySettings,
  failures: number,
  intervalMs: number,
  random: () => number,
): number => {
  const tries = Math.max(0, failures - 1);
  const backoff = Math.min(initialBackoffMs * backoffMultiplier ** tries, maxBackoffMs);
  const delay = tries < maxRetries ? backoff : Math.max(intervalMs, maxBackoffMs);
  return delay * (1 + JITTER * random());
};
