import { type Sample, sample } from './sample.ts';

/** A number that goes up and down, such as the length of a queue. */
export class Gauge {
  #value = 0;

  set(value: number): void {
    this.#value = value;
  }

  add(by: number): void {
    this.#value += by;
  }

  samples(name: string, labels: string): readonly Sample[] {
    return [sample(name, labels, this.#value)];
  }
}
