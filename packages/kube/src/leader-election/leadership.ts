import type { Lease } from '@perigee/kubernetes/coordination/lease';
import type { Clock } from '../clock/clock.ts';
import { deadlineAfter } from '../clock/deadline.ts';
import { ApiError, isConflict, isNotFound, NotLeaderError } from '../errors.ts';
import { eitherSignal } from './either-signal.ts';
import type { Election } from './election-options.ts';
import { heldBy, holderOf, releasedLease } from './lease-record.ts';
import { readLease, writeLease } from './lease-storage.ts';

/** A moment by both clocks: the monotonic one may stand still while a machine is suspended. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export const momentOf = (clock: Clock): Moment => ({
  monotonic: clock.monotonic(),
  wall: clock.now(),
});

/** A server error may come from a proxy or a time limit, while the write itself still goes on. */
const isSettled = (error: unknown): boolean => error instanceof ApiError && error.code < 500;

/**
 * One term as the leader: renews the lease until the term ends, and lets writes through only while no
 * other leader can exist.
 *
 * Others take the lease at the earliest one lease duration after they saw it renewed, which is later
 * than when the renewal was sent. Here the term ends one renew deadline, which is shorter, after the
 * last successful renewal was sent. A process that was stopped or blocked finds that out at its first
 * write after waking up.
 *
 * One case remains: a write that was let through in time and is still under way, on the network or in
 * the queue of the HTTP client. The difference of the two durations (5 s by default) is the time that
 * it has to arrive before the next leader can write; the end of the term aborts what has not been sent.
 * Only a longer delay than that between letting a write through and its arrival could make two leaders
 * meet, and an update that carries a resource version fails even then.
 */
export class Leadership implements AsyncDisposable {
  readonly #election: Election;
  readonly #end = new AbortController();
  #lease: Lease;
  #renewedAt: Moment;
  #expiry: Disposable | undefined;
  #released: Promise<void> | undefined;
  #writesUnderWay = 0;
  /** Until when a write without an answer may still reach the server. */
  #unsettledUntil = 0;

  /** @param sentAt when the request was sent with which the lease was acquired */
  constructor(election: Election, lease: Lease, sentAt: Moment) {
    this.#election = election;
    this.#lease = lease;
    this.#renewedAt = sentAt;
    this.#expireInTime();
    void this.#keepRenewing();
  }

  /** Aborted when the term ends, with a `NotLeaderError` that has the reason. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Grows with every change of the leader. */
  get transitions(): number {
    return this.#lease.spec?.leaseTransitions ?? 0;
  }

  /** True if no other leader can exist at this moment. */
  get isCertain(): boolean {
    const { clock, renewDeadlineMs } = this.#election;
    const now = momentOf(clock);
    return (
      !this.signal.aborted &&
      now.monotonic - this.#renewedAt.monotonic < renewDeadlineMs &&
      now.wall - this.#renewedAt.wall < renewDeadlineMs
    );
  }

  /** Sends a write, unless another may be the leader. Its signal is aborted when the term ends. */
  async write<T>(
    send: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal = this.signal,
  ): Promise<T> {
    if (!this.isCertain) throw this.#refusal();
    using either = eitherSignal(this.signal, signal);
    const { clock, leaseDurationMs, renewDeadlineMs } = this.#election;
    this.#writesUnderWay++;
    try {
      return await send(either.signal);
    } catch (error) {
      if (!isSettled(error)) {
        this.#unsettledUntil = clock.monotonic() + leaseDurationMs - renewDeadlineMs;
      }
      throw error;
    } finally {
      this.#writesUnderWay--;
    }
  }

  /**
   * Ends the term and gives the lease away, so that the next leader need not wait. If the outcome of
   * a write is not known yet, the lease is left to expire instead.
   */
  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  async #release(): Promise<void> {
    const { clock, observer } = this.#election;
    if (this.signal.aborted) return;
    this.#depose(new NotLeaderError('the lease was released'));
    try {
      if (this.#writesUnderWay > 0 || clock.monotonic() < this.#unsettledUntil) {
        throw new Error('a write may still be under way, so the lease is left to expire');
      }
      await this.#giveAway();
    } catch (error) {
      observer?.attemptFailed('release', error);
    }
  }

  async #keepRenewing(): Promise<void> {
    const { clock, retryPeriodMs, observer } = this.#election;
    while (!this.signal.aborted) {
      try {
        await clock.sleep(retryPeriodMs, this.signal);
        await this.#renew();
      } catch (error) {
        if (!this.signal.aborted) observer?.attemptFailed('renew', error);
      }
    }
  }

  async #renew(): Promise<void> {
    const { client, clock, lease: ref, requestTimeoutMs } = this.#election;
    using attempt = deadlineAfter(clock, requestTimeoutMs, this.signal);
    try {
      await this.#extend(this.#lease, attempt.signal);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      const lease = await readLease(client, ref, attempt.signal);
      const holder = holderOf(lease?.spec);
      if (lease === undefined || holder === this.#election.identity) {
        await this.#extend(lease, attempt.signal);
      } else {
        const how = holder === '' ? 'released by somebody else' : `taken by "${holder}"`;
        this.#depose(new NotLeaderError(`the lease was ${how}`));
      }
    }
  }

  async #extend(before: Lease | undefined, signal: AbortSignal): Promise<void> {
    const { client, clock, lease: ref } = this.#election;
    const sentAt = momentOf(clock);
    const spec = heldBy(this.#election, this.#lease.spec, sentAt.wall);
    this.#lease = await writeLease(client, ref, before, spec, signal);
    if (this.signal.aborted) return;
    this.#renewedAt = sentAt;
    this.#expireInTime();
  }

  #expireInTime(): void {
    const { clock, renewDeadlineMs } = this.#election;
    this.#expiry?.[Symbol.dispose]();
    const remainingMs = this.#renewedAt.monotonic + renewDeadlineMs - clock.monotonic();
    this.#expiry = clock.timer(remainingMs, () => this.#depose(this.#refusal()));
  }

  #depose(reason: NotLeaderError): void {
    if (this.signal.aborted) return;
    this.#expiry?.[Symbol.dispose]();
    this.#end.abort(reason);
    this.#election.observer?.deposed(reason);
  }

  #refusal(): NotLeaderError {
    const { reason } = this.signal;
    if (reason instanceof NotLeaderError) return reason;
    const limit = this.#election.renewDeadlineMs / 1000;
    return new NotLeaderError(`the lease was not renewed for ${limit} s, so another may lead now`);
  }

  async #giveAway(): Promise<void> {
    const { client, clock, lease: ref, identity, requestTimeoutMs } = this.#election;
    using attempt = deadlineAfter(clock, requestTimeoutMs);
    const lease = await readLease(client, ref, attempt.signal);
    if (lease === undefined || holderOf(lease.spec) !== identity) return;
    try {
      await writeLease(client, ref, lease, releasedLease(lease.spec, clock.now()), attempt.signal);
    } catch (error) {
      // A renewal that was under way when the term ended came in between.
      if (!isConflict(error)) throw error;
      await this.#giveAway();
    }
  }
}
