import type { Clock } from '@perigee/kube/clock/clock';
import { overdue } from './request-deadline.ts';

interface Running {
  readonly endsAt: number;
  readonly refuse: (error: Error) => void;
}

const LONGEST_TICK_MS = 1000;

/**
 * A time limit for many operations. They share one timer, since a timer for each would cost more than all other
 * overhead of a request. So the limit may be exceeded by up to a second.
 */
export class Deadlines implements Disposable {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #deadlines = new Set<Running>();
  #tick: Disposable | undefined;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /**
   * Runs the work; rejects with 504 at the time limit. The work is not cancelled, but the response does not wait
   * for it.
   */
  within(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, refuse) => {
      const deadline = { endsAt: this.#clock.monotonic() + this.#limitMs, refuse };
      this.#deadlines.add(deadline);
      this.#tick ??= this.#nextTick();
      work().then(
        () => {
          this.#deadlines.delete(deadline);
          resolve();
        },
        (error) => {
          this.#deadlines.delete(deadline);
          refuse(error);
        },
      );
    });
  }

  [Symbol.dispose](): void {
    this.#tick?.[Symbol.dispose]();
  }

  #nextTick(): Disposable {
    return this.#clock.timer(Math.min(this.#limitMs, LONGEST_TICK_MS), () => {
      const now = this.#clock.monotonic();
      // In the order of their ends.
      for (const deadline of this.#deadlines) {
        if (deadline.endsAt > now) break;
        this.#deadlines.delete(deadline);
        deadline.refuse(overdue());
      }
      this.#tick = this.#deadlines.size === 0 ? undefined : this.#nextTick();
    });
  }
}
