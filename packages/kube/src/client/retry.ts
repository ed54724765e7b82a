import { ApiError, ConnectionError, type ConnectionFailure } from '../errors.ts';

export interface RetryPolicy {
  /** Number of attempts in all. */
  readonly attempts: number;
  /** The wait after the first failure; it doubles with each further one. */
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** A server that asks for a longer wait than this gets no further attempt. */
  readonly longestRetryAfterMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 5,
  firstDelayMs: 200,
  longestDelayMs: 10_000,
  longestRetryAfterMs: 60_000,
};

const PASSING: ReadonlySet<ConnectionFailure> = new Set<ConnectionFailure>([
  'refused',
  'unreachable',
  'timeout',
  'broken',
]);

/** True for a failure that a retry may cure; a wrong name or an untrusted certificate stays what it is. */
export const isPassing = ({ failure }: ConnectionError): boolean => PASSING.has(failure);

/**
 * Delay before the next attempt; undefined if there must be none. A server that
 * asks for a retry (429, or any Retry-After) has not done the work, so that holds for every request. After
 * other failures it may have done it, so only what reads is tried again.
 */
export const retryDelayMs = (
  error: unknown,
  failures: number,
  request: { readonly retryFailures: boolean },
  policy: RetryPolicy,
  /** Spreads those who failed together; in [0, 1). */
  jitter: number,
): number | undefined => {
  if (failures >= policy.attempts) return undefined;
  const doubled = policy.firstDelayMs * 2 ** (failures - 1);
  const backOff = Math.min(policy.longestDelayMs, doubled) * (0.5 + jitter / 2);
  if (error instanceof ApiError) {
    const askedMs = (error.retryAfterSeconds ?? 0) * 1000;
    if (askedMs > policy.longestRetryAfterMs) return undefined;
    if (error.retryAfterSeconds !== undefined) {
      return Math.max(askedMs + policy.firstDelayMs * jitter, backOff);
    }
    const maybePassing = error.code === 429 || (error.code >= 500 && request.retryFailures);
    return maybePassing ? backOff : undefined;
  }
  if (error instanceof ConnectionError) {
    return request.retryFailures && isPassing(error) ? backOff : undefined;
  }
  return undefined;
};
