import { seededRandom } from '@perigee/kube/clock/seeded-random';

/** Chance that depends on a seed alone. */
export class Dice {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  happens(probability: number): boolean {
    return this.#random() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)];
    if (choice === undefined) throw new Error('there is nothing to pick from');
    return choice;
  }

  /** Picks a key; one with twice the weight comes twice as often. */
  weighted<K extends string>(weights: { readonly [key in K]: number }): K {
    const entries = Object.entries(weights) as [K, number][];
    const total = entries.reduce((sum, [, weight]) => sum + weight, 0);
    let rest = this.#random() * total;
    for (const [key, weight] of entries) {
      rest -= weight;
      if (rest < 0) return key;
    }
    return this.pick(entries)[0];
  }

  /** Some of the choices, in their order, and at least `least` of them unless there are fewer. */
  some<T>(choices: readonly T[], least: number, most: number): readonly T[] {
    const size = Math.min(choices.length, least + this.below(most - least + 1));
    const indexes = new Set<number>();
    while (indexes.size < size) indexes.add(this.below(choices.length));
    return choices.filter((_, index) => indexes.has(index));
  }
}
