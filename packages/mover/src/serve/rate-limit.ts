import type { MoverClock } from '../clock.ts';

/** Credit of a client that was slower than its rate before. */
const BURST_MS = 100;

/** Lets bytes pass at a rate, in the order in which they were asked for. */
export class RateLimit {
  readonly #clock: Pick<MoverClock, 'monotonic' | 'delay'>;
  #bytesPerMs: number;
  /** When all that was let pass so far has taken its time. */
  #paidUntil = 0;

  constructor(clock: Pick<MoverClock, 'monotonic' | 'delay'>, bytesPerSecond: number | undefined) {
    this.#clock = clock;
    this.#bytesPerMs = (bytesPerSecond ?? Number.POSITIVE_INFINITY) / 1000;
  }

  /** Holds from the next bytes on. */
  set bytesPerSecond(rate: number | undefined) {
    this.#bytesPerMs = (rate ?? Number.POSITIVE_INFINITY) / 1000;
  }

  async pass(bytes: number): Promise<void> {
    const now = this.#clock.monotonic();
    this.#paidUntil = Math.max(this.#paidUntil, now - BURST_MS) + bytes / this.#bytesPerMs;
    const wait = this.#paidUntil - now;
    if (wait > 0) await this.#clock.delay(wait);
  }
}
