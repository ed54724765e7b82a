/**
 * Lets those who have much to do take turns. Each turn of the event loop wakes one of them, so that
 * however many there are, everybody else waits for a single slice of their work.
 */
export class Turns {
  readonly #schedule: (run: () => void) => void;
  readonly #waiting: (() => void)[] = [];

  /** `schedule` runs the function in a later turn of the event loop. */
  constructor(schedule: (run: () => void) => void) {
    this.#schedule = schedule;
  }

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) this.#schedule(this.#wakeOne);
    });
  }

  readonly #wakeOne = (): void => {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.#schedule(this.#wakeOne);
  };
}
