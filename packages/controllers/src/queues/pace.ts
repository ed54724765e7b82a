/** Spreads tasks that are not urgent over time: each key gets a slot of its own, one interval after the last. */
export class Pace {
  readonly #gapMs: number;
  readonly #due = new Map<string, number>();
  #last = Number.NEGATIVE_INFINITY;

  constructor(gapMs: number) {
    this.#gapMs = gapMs;
  }

  /** The remaining delay of a key; 0 when it is due, which starts the next interval. */
  restMs(key: string, now: number, notBefore = now): number {
    let due = this.#due.get(key);
    if (due === undefined) {
      due = Math.max(notBefore, this.#last + this.#gapMs);
      this.#last = due;
      this.#due.set(key, due);
    }
    if (due > now) return due - now;
    this.#due.delete(key);
    return 0;
  }

  forget(key: string): void {
    this.#due.delete(key);
  }
}
