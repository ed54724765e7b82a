/** How often and how soon a provisioner is asked again that gave no good answer. */
export interface RetrySettings {
  readonly maxRetries: number;
  readonly initialBackoffMs: number;
  readonly maxBackoffMs: number;
  readonly backoffMultiplier: number;
  /** For one request, with its answer. */
  readonly timeoutMs: number;
}

/** Somebody else's requests come at about the same time; so much of the delay is left to chance. */
const JITTER = 0.2;

/**
 * When to ask again after so many failures in a row: later each time, and once the retries are used up in the long
 * interval. Nothing is given up: what is wrong now may be mended.
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
