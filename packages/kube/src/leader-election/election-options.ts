import type { Client, ObjectRef } from '../client/client.ts';
import type { Clock } from '../clock/clock.ts';
import type { ElectionObserver } from './election-observer.ts';

export interface ElectionOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** The lease that the contenders compete for. */
  readonly lease: ObjectRef;
  /** Identity of this process; no two processes may ever share it. */
  readonly identity: string;
  /** For how long after its last renewal others leave the holder alone. */
  readonly leaseDurationMs?: number;
  /** For how long after its last renewal the holder itself goes on. */
  readonly renewDeadlineMs?: number;
  /** Interval at which the holder renews, and the longest wait of a contender before it tries again. */
  readonly retryPeriodMs?: number;
  readonly observer?: ElectionObserver;
}

export interface Election extends Required<Omit<ElectionOptions, 'observer'>> {
  readonly observer: ElectionObserver | undefined;
  /** Time limit of one request to the server. */
  readonly requestTimeoutMs: number;
}

/** Fills in the defaults of Kubernetes' own components. */
export const compileElection = (options: ElectionOptions): Election => {
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = options;
  if (options.identity === '') throw new RangeError('the identity of a contender is empty');
  if (
    !(retryPeriodMs > 0 && renewDeadlineMs > retryPeriodMs && leaseDurationMs > renewDeadlineMs)
  ) {
    throw new RangeError(
      `lease duration (${leaseDurationMs} ms), renew deadline (${renewDeadlineMs} ms) and retry ` +
        `period (${retryPeriodMs} ms) must each be longer than the next, and the last more than 0`,
    );
  }
  return {
    ...options,
    leaseDurationMs,
    renewDeadlineMs,
    retryPeriodMs,
    observer: options.observer,
    requestTimeoutMs: renewDeadlineMs / 2,
  };
};
