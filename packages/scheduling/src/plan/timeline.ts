interface Moment {
  readonly atMs: number;
  readonly number: number;
  readonly happen: () => void;
}

const isBefore = (a: Moment, b: Moment): boolean =>
  a.atMs < b.atMs || (a.atMs === b.atMs && a.number < b.number);

/** Future events, in order. */
export class Timeline {
  /** Sorted with the next event last, so that popping is cheap. */
  readonly #moments: Moment[] = [];
  readonly #knownNames = new Set<string>();
  #numbers = 0;

  /** Of several events under one name, only the first counts. */
  at(atMs: number, happen: () => void, name?: string): void {
    if (name !== undefined) {
      if (this.#knownNames.has(name)) return;
      this.#knownNames.add(name);
    }
    const moment: Moment = {
      atMs,
      number: this.#numbers++,
      happen: () => {
        if (name !== undefined) this.#knownNames.delete(name);
        happen();
      },
    };
    let [low, high] = [0, this.#moments.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(moment, this.#moments[middle] as Moment)) low = middle + 1;
      else high = middle;
    }
    this.#moments.splice(low, 0, moment);
  }

  get nextMs(): number | undefined {
    return this.#moments.at(-1)?.atMs;
  }

  next(): (() => void) | undefined {
    return this.#moments.pop()?.happen;
  }
}
