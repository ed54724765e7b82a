import type { Clock } from '../clock/clock.ts';

/** Barks once when it was not fed for a whole period. Feeding it costs nothing. */
export class Watchdog implements Disposable {
  readonly #clock: Clock;
  readonly #periodMs: number;
  readonly #bark: () => void;
  #timer: Disposable;
  #fed = false;

  constructor(clock: Clock, periodMs: number, bark: () => void) {
    this.#clock = clock;
    this.#periodMs = periodMs;
    this.#bark = bark;
    this.#timer = this.#wait();
  }

  feed(): void {
    this.#fed = true;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #wait(): Disposable {
    return this.#clock.timer(this.#periodMs, () => {
      if (!this.#fed) return this.#bark();
      this.#fed = false;
      this.#timer = this.#wait();
    });
  }
}
