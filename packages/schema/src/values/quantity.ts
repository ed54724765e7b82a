/** Format of a quantity: `12M`, `12Mi` or `12e6`. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/**
 * An exact amount, such as 500m of CPU or 2Gi of memory, that remembers how it was written. It is the
 * sum of whole units and of billionths of a unit. The units are a bigint only beyond the safe
 * integers, so that common amounts cost no more than plain numbers.
 */
export interface Quantity {
  readonly units: number | bigint;
  /** From 0 up to a billion, also when the units are negative. */
  readonly nanos: number;
  readonly format: QuantityFormat;
}

const BILLION = 1_000_000_000;
const BIG_BILLION = 1_000_000_000n;

/** So many units that their billionths are still safe integers. */
const FEW_UNITS = Math.floor(Number.MAX_SAFE_INTEGER / BILLION) - 1;

const compact = (units: bigint): number | bigint =>
  units >= Number.MIN_SAFE_INTEGER && units <= Number.MAX_SAFE_INTEGER ? Number(units) : units;

/** All of the amount in billionths of a unit. */
export const nanosOf = ({ units, nanos }: Quantity): bigint =>
  BigInt(units) * BIG_BILLION + BigInt(nanos);

export const quantityOfNanos = (nanos: bigint, format: QuantityFormat): Quantity => {
  const rest = Number(nanos % BIG_BILLION);
  const whole = nanos / BIG_BILLION;
  return rest < 0
    ? { units: compact(whole - 1n), nanos: rest + BILLION, format }
    : { units: compact(whole), nanos: rest, format };
};

const mustBeWhole = (value: number): void => {
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`${value} is not a whole number that can be told exactly`);
  }
};

/** The quantity of a whole number. */
export const quantityOf = (value: number, format: QuantityFormat = 'DecimalSI'): Quantity => {
  mustBeWhole(value);
  return { units: value, nanos: 0, format };
};

export const ZERO: Quantity = { units: 0, nanos: 0, format: 'DecimalSI' };

export const isZeroQuantity = ({ units, nanos }: Quantity): boolean => units === 0 && nanos === 0;

/** Below, equal to or above zero: -1, 0 or 1. */
export const signOfQuantity = ({ units, nanos }: Quantity): -1 | 0 | 1 =>
  units < 0 ? -1 : units === 0 && nanos === 0 ? 0 : 1;

/** Negative when `a` is less than `b`, zero when they are the same amount, positive when it is more. */
export const compareQuantities = (a: Quantity, b: Quantity): number =>
  a.units < b.units ? -1 : a.units > b.units ? 1 : a.nanos - b.nanos;

/** A sum or difference takes the format of its first part, unless that is zero. */
const formatOf = (a: Quantity, b: Quantity): QuantityFormat =>
  isZeroQuantity(a) ? b.format : a.format;

export const addQuantities = (a: Quantity, b: Quantity): Quantity => {
  const format = formatOf(a, b);
  if (typeof a.units === 'number' && typeof b.units === 'number') {
    const nanos = a.nanos + b.nanos;
    const units = a.units + b.units + (nanos >= BILLION ? 1 : 0);
    if (Number.isSafeInteger(units)) {
      return { units, nanos: nanos >= BILLION ? nanos - BILLION : nanos, format };
    }
  }
  return quantityOfNanos(nanosOf(a) + nanosOf(b), format);
};

export const negateQuantity = (quantity: Quantity): Quantity => {
  const { units, nanos, format } = quantity;
  if (typeof units === 'bigint') return quantityOfNanos(-nanosOf(quantity), format);
  return nanos === 0
    ? { units: 0 - units, nanos, format }
    : { units: -1 - units, nanos: BILLION - nanos, format };
};

export const subtractQuantity = (a: Quantity, b: Quantity): Quantity =>
  addQuantities(a, negateQuantity(b));

/** The quantity taken a whole number of times. */
export const multiplyQuantity = (quantity: Quantity, times: number): Quantity => {
  mustBeWhole(times);
  const { units, nanos, format } = quantity;
  if (nanos === 0 && typeof units === 'number') {
    // Adding zero makes a negative zero a plain one.
    const product = units * times + 0;
    if (Number.isSafeInteger(product)) return { units: product, nanos, format };
  }
  return quantityOfNanos(nanosOf(quantity) * BigInt(times), format);
};

const awayFromZero = (nanos: bigint, unit: bigint): number =>
  Number((nanos + (nanos < 0n ? 1n - unit : unit - 1n)) / unit);

/** The amount in whole units, a fraction rounded away from zero. Beyond 2⁵³ the nearest number. */
export const quantityValue = (quantity: Quantity): number => {
  const { units, nanos } = quantity;
  if (nanos === 0) return Number(units);
  return awayFromZero(nanosOf(quantity), BIG_BILLION);
};

/** The amount in thousandths, finer fractions rounded away from zero. Beyond 2⁵³ the nearest number. */
export const quantityMilliValue = (quantity: Quantity): number => {
  const { units, nanos } = quantity;
  if (nanos === 0 && Math.abs(Number(units)) < FEW_UNITS) return Number(units) * 1000;
  return awayFromZero(nanosOf(quantity), 1_000_000n);
};
