import { seededRandom } from '@perigee/kube/clock/seeded-random';

/** Choices that depend on a seed alone. */
export interface Chance {
  /** True if something happens that has this probability. */
  happens(probability: number): boolean;
  /** A whole number from 0 up to and without the bound. */
  below(bound: number): number;
  pick<T>(from: readonly T[]): T;
}

export const chanceOf = (seed: number): Chance => {
  const random = seededRandom(seed);
  const below = (bound: number) => Math.floor(random() * bound);
  return {
    happens: (probability) => random() < probability,
    below,
    pick: (from) => from[below(from.length)] as (typeof from)[number],
  };
};
