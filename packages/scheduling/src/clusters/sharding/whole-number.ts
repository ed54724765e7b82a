import { exactInteger } from '@perigee/schema/exact-json';

/** A 64-bit integer, as records have them: a bigint only beyond the safe integers. */
export type Whole = number | bigint;

/** The maximum of a record field. As a sum it means that much or more. */
const LARGEST = 2n ** 63n - 1n;

/** Saturates at the maximum of a record field. */
export const toWhole = (value: bigint): Whole => exactInteger(value > LARGEST ? LARGEST : value);

/** An exact sum that saturates at the maximum of a record field. */
export const sumOfWholes = (values: readonly Whole[]): Whole => {
  let sum: Whole = 0;
  for (const value of values) {
    const plain: number = typeof sum === 'number' && typeof value === 'number' ? sum + value : NaN;
    sum = Number.isSafeInteger(plain) ? plain : toWhole(BigInt(sum) + BigInt(value));
  }
  return sum;
};

/** The paths of saturated sums. */
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
