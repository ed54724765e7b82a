import type { CelType } from '../types.ts';

/** Bounds of the length of a string, and of the size of a list or map. */
export interface Size {
  readonly min: number;
  readonly max: number;
}

/** Bounds of the size of the entries of a list or map. */
export interface EntrySize {
  readonly container: 'list' | 'map';
  readonly key: Size;
  readonly value: Size;
}

export const UNKNOWN: Size = { min: 0, max: Number.POSITIVE_INFINITY };
export const ONE: Size = { min: 1, max: 1 };

export const exactly = (size: number): Size => ({ min: size, max: size });

/** Nothing, however often, is nothing. */
export const times = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : a * b);

/** Cost of traversing so many entries at a price for each. */
export const priceOf = (count: number, price: number): number => Math.ceil(times(count, price));

export const plus = (a: Size, b: Size): Size => ({ min: a.min + b.min, max: a.max + b.max });

export const product = (a: Size, b: Size): Size => ({
  min: times(a.min, b.min),
  max: times(a.max, b.max),
});

export const union = (a: Size, b: Size): Size => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
});

/** The size of any of several; that of none is nothing. */
export const unionOf = (sizes: readonly Size[]): Size =>
  sizes.length === 0 ? exactly(0) : sizes.reduce(union);

export const unionOfEntries = (
  a: EntrySize | undefined,
  b: EntrySize | undefined,
): EntrySize | undefined =>
  a && b && { container: a.container, key: union(a.key, b.key), value: union(a.value, b.value) };

const SCALARS = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

/** The size of what is as large as all others of its type. */
export const sizeOfType = (type: CelType): Size | undefined => {
  if (type.kind === 'optional') return sizeOfType(type.of);
  return SCALARS.has(type.kind) ? ONE : undefined;
};
