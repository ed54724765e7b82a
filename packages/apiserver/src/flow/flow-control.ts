import type { Clock } from '@perigee/kube/clock/clock';
import type { Metrics } from '@perigee/kube/observe/metrics';
import { isMaster, type UserInfo } from '@perigee/kubernetes/authorization/attributes';
import { isProbe } from '../health/probes.ts';
import { tooManyRequests } from '../status/server-refusals.ts';
import { Deadlines } from './deadlines.ts';
import { FairSeats } from './fair-seats.ts';
import { DEFAULT_LIMITS, type FlowLimits } from './flow-limits.ts';
import { timeLimit, withinLimit } from './request-deadline.ts';

/** The part of a request that flow control needs. */
export interface Flow {
  readonly user: UserInfo;
  /** Users of different clusters are different users. */
  readonly cluster: string;
  readonly verb: string;
  readonly exchange: {
    readonly path: string;
    readonly query: URLSearchParams;
    readonly signal: AbortSignal;
  };
}

const READING: ReadonlySet<string> = new Set(['get', 'list', 'head', 'options']);

/** Exempt requests: administrators must be able to help, and probes to work. */
const isExempt = ({ user, exchange }: Flow): boolean => isMaster(user) || isProbe(exchange.path);

const keyOf = ({ user, cluster }: Flow): string => `${cluster}/${user.name}`;

/** Limits concurrency and duration of requests. Costs little while there are free seats. */
export class FlowControl implements Disposable {
  readonly #clock: Clock;
  readonly #limits: FlowLimits;
  readonly #reading: FairSeats;
  readonly #writing: FairSeats;
  readonly #deadlines: Deadlines;
  readonly #watches = new Map<string, number>();
  readonly #refused;
  readonly #queued;

  constructor(clock: Clock, metrics: Metrics, limits: Partial<FlowLimits> = {}) {
    this.#clock = clock;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    const { reading, writing, longestRequestMs } = this.#limits;
    this.#deadlines = new Deadlines(clock, longestRequestMs);
    this.#reading = new FairSeats({ ...this.#limits, seats: reading });
    this.#writing = new FairSeats({ ...this.#limits, seats: writing });
    this.#refused = metrics.counter({
      name: 'apiserver_flowcontrol_rejected_requests_total',
      help: 'Requests that were refused because there were too many.',
      labels: ['reason'],
    });
    this.#queued = metrics
      .gauge({
        name: 'apiserver_flowcontrol_current_inqueue_requests',
        help: 'Requests that wait for their turn.',
      })
      .with();
  }

  /** Runs a request when it has a seat; throws an `ApiError` if too many wait. */
  async run(flow: Flow, work: () => Promise<void>): Promise<void> {
    if (flow.verb === 'watch') return this.#watch(flow, work);
    const limitMs = timeLimit(flow.exchange.query, this.#limits.longestRequestMs);
    if (isExempt(flow)) return this.#within(limitMs, work);
    const seats = READING.has(flow.verb) ? this.#reading : this.#writing;
    const user = keyOf(flow);
    if (!seats.take(user)) await this.#wait(seats, user, limitMs, flow.exchange.signal);
    // Work beyond the time limit keeps its seat to its end.
    const seated = async (): Promise<void> => {
      try {
        await work();
      } finally {
        seats.leave(user);
      }
    };
    return this.#within(limitMs, seated);
  }

  [Symbol.dispose](): void {
    this.#deadlines[Symbol.dispose]();
  }

  #within(limitMs: number, work: () => Promise<void>): Promise<void> {
    return limitMs === this.#limits.longestRequestMs
      ? this.#deadlines.within(work)
      : withinLimit(this.#clock, limitMs, work);
  }

  async #watch(flow: Flow, work: () => Promise<void>): Promise<void> {
    if (isExempt(flow)) return work();
    const user = keyOf(flow);
    const open = this.#watches.get(user) ?? 0;
    if (open >= this.#limits.watchesPerUser) throw this.#refuse('too-many-watches');
    this.#watches.set(user, open + 1);
    try {
      await work();
    } finally {
      const others = (this.#watches.get(user) ?? 1) - 1;
      if (others === 0) this.#watches.delete(user);
      else this.#watches.set(user, others);
    }
  }

  /** Resolves when the user has a seat. */
  async #wait(seats: FairSeats, user: string, limitMs: number, signal: AbortSignal): Promise<void> {
    const turn = Promise.withResolvers<void>();
    using waiting = seats.wait(user, turn.resolve);
    if (waiting === undefined) throw this.#refuse('queue-full');
    this.#queued.add(1);
    const giveUp = () => {
      waiting[Symbol.dispose]();
      turn.reject(signal.aborted ? signal.reason : this.#refuse('time-out'));
    };
    using _ = this.#clock.timer(Math.min(limitMs, this.#limits.longestWaitMs), giveUp);
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    try {
      await turn.promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
      this.#queued.add(-1);
    }
  }

  #refuse(reason: 'queue-full' | 'time-out' | 'too-many-watches'): Error {
    this.#refused.with({ reason }).increment();
    return tooManyRequests();
  }
}
