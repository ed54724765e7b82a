import type { Clock } from '../clock/clock.ts';

const BEAT_MS = 1_000;
/** Nobody else gets a turn for so long only when somebody computes on and on. */
const LONG_MS = 2_000;

/** True if others had to wait for a turn since the observation began. Disposing ends it. */
interface Observation extends Disposable {
  readonly sawLongTurn: boolean;
}

/**
 * Finds out that one computation held up the whole process: a timer that should go off every second goes off late.
 * With many operations on one processor, each takes long too, but the timer is on time. It stops when nobody
 * looks.
 */
export class LongTurns implements Disposable {
  readonly #clock: Pick<Clock, 'monotonic' | 'timer'>;
  #observations = 0;
  #longTurns = 0;
  #beat: { readonly dueAt: number; readonly timer: Disposable } | undefined;

  constructor(clock: Pick<Clock, 'monotonic' | 'timer'>) {
    this.#clock = clock;
  }

  observe(): Observation {
    // Earlier delays do not count.
    if (this.#isLate()) this.#note();
    if (this.#beat === undefined) this.#setBeat();
    this.#observations += 1;
    const before = this.#longTurns;
    const hasLongTurn = (): boolean => this.#longTurns > before || this.#isLate();
    return {
      get sawLongTurn() {
        return hasLongTurn();
      },
      [Symbol.dispose]: () => {
        this.#observations -= 1;
      },
    };
  }

  [Symbol.dispose](): void {
    this.#beat?.timer[Symbol.dispose]();
    this.#beat = undefined;
  }

  #isLate(): boolean {
    return this.#beat !== undefined && this.#clock.monotonic() - this.#beat.dueAt >= LONG_MS;
  }

  #note(): void {
    this.#longTurns += 1;
    this[Symbol.dispose]();
  }

  #setBeat(): void {
    const dueAt = this.#clock.monotonic() + BEAT_MS;
    const timer = this.#clock.timer(BEAT_MS, () => {
      if (this.#isLate()) this.#note();
      this.#beat = undefined;
      if (this.#observations > 0) this.#setBeat();
    });
    this.#beat = { dueAt, timer };
  }
}
