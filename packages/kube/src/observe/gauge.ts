import { type Sample, sample } from './sample.ts';

/** A number that goes up and down, such as the length of a queue. */
export class Gauge {
  #value = 0;
  #read: (() => number) | undefined;

  set(value: number): void {
    this.#value = value;
  }

  add(by: number): void {
    this.#value += by;
  }

  /** From now on the value is looked up whenever it is told, for what is cheaper to ask than to keep. */
  follow(read: () => number): void {
    this.#read = read;
  }

  samples(name: string, labels: string): readonly Sample[] {
    return [sample(name, labels, this.#read?.() ?? this.#value)];
  }
}
