import { exactInteger } from '@perigee/api/exact-json';

/** A whole number of 64 bits, as records have them: a bigint only where a number could not hold it. */
export type Whole = number | bigint;

/** The most that a record can hold. As a sum it stands for that much or more. */
const LARGEST = 2n ** 63n - 1n;

/** In the form that records have; too much becomes the most that they can hold. */
export const toWhole = (value: bigint): Whole => exactInteger(value > LARGEST ? LARGEST : value);

/** Exact, and never more than a record can hold. */
export const sumOfWholes = (values: readonly Whole[]): Whole => {
  let sum: Whole = 0;
  for (const value of values) {
    const plain: number = typeof sum === 'number' && typeof value === 'number' ? sum + value : NaN;
    sum = Number.isSafeInteger(plain) ? plain : toWhole(BigInt(sum) + BigInt(value));
  }
  return sum;
};

/** The paths at which a sum was too large to be told. */
export const cappedSums = (value: unknown, path = ''): readonly string[] => {
  if (value === LARGEST) return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    cappedSums(
      inner,
      Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`,
    ),
  );
};
