import { Lease } from '@perigee/kubernetes/coordination/lease';
import { deadlineAfter } from '../clock/deadline.ts';
import { isAlreadyExists, isConflict } from '../errors.ts';
import { Informer } from '../informer/informer.ts';
import { eitherSignal } from './either-signal.ts';
import { compileElection, type Election, type ElectionOptions } from './election-options.ts';
import { Leadership, momentOf } from './leadership.ts';
import { freeAt, heldBy, holderOf, type Observation, observe } from './lease-record.ts';
import { readLease, writeLease } from './lease-storage.ts';

/** A timer may fire a hair early; a retry sooner than this would be idle. */
const SHORTEST_WAIT_MS = 1;

/** Competes with others for a lease; at most one of them leads at a time. */
export class LeaderElector {
  readonly #election: Election;
  #observation: Observation | undefined;
  #term: Leadership | undefined;
  #contends = false;

  constructor(options: ElectionOptions) {
    this.#election = compileElection(options);
  }

  /** Last known holder of the lease; empty if there is none. */
  get leader(): string {
    return holderOf(this.#observation?.spec);
  }

  /**
   * Waits until this process leads. The lease is free when it was released, or when it did not change
   * for as long as its holder asked for. Rejects only when the signal is aborted, or when this elector
   * contends already: two terms of one identity would end each other. A term that it gave out before
   * ends first.
   */
  async acquire(signal: AbortSignal): Promise<Leadership> {
    if (this.#contends) throw new Error('this elector contends already; await its term first');
    this.#contends = true;
    try {
      await this.#term?.release();
      return await this.#contend(signal);
    } finally {
      this.#contends = false;
    }
  }

  async #contend(signal: AbortSignal): Promise<Leadership> {
    let nap = new AbortController();
    await using _watch = this.#watchForRelease(() => nap.abort());
    for (;;) {
      signal.throwIfAborted();
      nap = new AbortController();
      this.#term = await this.#tryAcquire(signal);
      if (this.#term !== undefined) return this.#term;
      using either = eitherSignal(signal, nap.signal);
      await this.#rest(either.signal);
    }
  }

  async #tryAcquire(signal: AbortSignal): Promise<Leadership | undefined> {
    const { client, clock, lease: ref, requestTimeoutMs, observer } = this.#election;
    using attempt = deadlineAfter(clock, requestTimeoutMs, signal);
    try {
      const lease = await readLease(client, ref, attempt.signal);
      this.#see(lease);
      if (clock.monotonic() < freeAt(this.#observation, this.#election)) return undefined;
      const sentAt = momentOf(clock);
      const spec = heldBy(this.#election, this.#observation?.spec, sentAt.wall);
      const acquired = await writeLease(client, ref, lease, spec, attempt.signal);
      this.#see(acquired);
      observer?.elected();
      return new Leadership(this.#election, acquired, sentAt);
    } catch (error) {
      const lostTheRace = isConflict(error) || isAlreadyExists(error);
      if (!signal.aborted && !lostTheRace) observer?.attemptFailed('acquire', error);
      return undefined;
    }
  }

  #see(lease: Lease | undefined): void {
    const { clock, identity, observer } = this.#election;
    const before = this.leader;
    this.#observation = observe(this.#observation, lease, clock.monotonic());
    if (this.leader !== before && this.leader !== identity) observer?.leaderSeen(this.leader);
  }

  /** Sleeps until the lease may be free, but not past the retry period; less, so as not to march in step. */
  async #rest(signal: AbortSignal): Promise<void> {
    const { clock, retryPeriodMs } = this.#election;
    const jittered = retryPeriodMs * (1 - clock.random() / 2);
    const untilFree = freeAt(this.#observation, this.#election) - clock.monotonic();
    const wait = untilFree > 0 ? Math.min(jittered, untilFree) : jittered;
    await clock.sleep(Math.max(wait, SHORTEST_WAIT_MS), signal).catch(() => {});
  }

  /** Only saves time: without it the contender tries again after the retry period. */
  #watchForRelease(wake: () => void): AsyncDisposable {
    const { client, clock } = this.#election;
    const { namespace, name } = this.#election.lease;
    const informer = new Informer<Lease>({
      client,
      clock,
      kind: Lease,
      selection: { namespace, fieldSelector: `metadata.name=${name}` },
    });
    informer.addHandler({
      onUpdate: ({ spec }) => {
        if (holderOf(spec) === '') wake();
      },
    });
    informer.start();
    return informer;
  }
}
