import { type Sample, sample } from './sample.ts';

/** A number that only grows, such as requests served. */
export class Counter {
  #value = 0;

  increment(by = 1): void {
    if (!(by >= 0)) throw new RangeError(`a counter cannot change by ${by}; use a gauge`);
    this.#value += by;
  }

  samples(name: string, labels: string): readonly Sample[] {
    return [sample(name, labels, this.#value)];
  }
}
