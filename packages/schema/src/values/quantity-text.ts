import { ParseError } from '../errors.ts';
import { RecentMap } from '../recent-map.ts';
import { nanosOf, type Quantity, type QuantityFormat, quantityOfNanos } from './quantity.ts';

interface Suffix {
  readonly base: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const LEAST_EXPONENT = -9;

const SUFFIXES = new Map<string, Suffix>([
  ...BINARY_SUFFIXES.slice(1).map((suffix, index): [string, Suffix] => [
    suffix,
    { base: 2n, exponent: 10 + index * 10, format: 'BinarySI' },
  ]),
  ...DECIMAL_SUFFIXES.map((suffix, index): [string, Suffix] => [
    suffix,
    { base: 10n, exponent: LEAST_EXPONENT + index * 3, format: 'DecimalSI' },
  ]),
]);

const QUANTITY = /^([+-]?)(\d*)(?:\.(\d*))?((?:[eEinumkKMGTP]+[-+]?\d*|[-+]\d*)?)$/;
const EXPONENT = /^[eE]([+-]?\d+)$/;

/** Exponents beyond this stand for no amount of anything; they would only cost memory. */
const LARGEST_EXPONENT = 1_000;

/** A longer text stands for no amount of anything, either. */
const LONGEST_TEXT = 1_000;

/** The most that a quantity in binary units may be; more is cut down to this. */
const BINARY_CAP = (2n ** 63n - 1n) * 10n ** 9n;

const readSuffix = (text: string): Suffix | undefined => {
  const knownSuffix = SUFFIXES.get(text);
  if (knownSuffix !== undefined) return knownSuffix;
  const exponent = EXPONENT.exec(text)?.[1];
  return exponent === undefined
    ? undefined
    : { base: 10n, exponent: Number(exponent), format: 'DecimalExponent' };
};

/** Rounds up to a billionth: a tiny amount does not become zero. */
const divideUp = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;

const readQuantity = (text: string): Quantity => {
  const wrong = (why: string): ParseError => new ParseError(`${JSON.stringify(text)}: ${why}`);
  if (text.length > LONGEST_TEXT) {
    throw new ParseError(`quantities must have no more than ${LONGEST_TEXT} characters`);
  }
  const match = QUANTITY.exec(text);
  if (text === '' || match === null) {
    throw wrong(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
  const [, sign, whole = '', fraction = '', suffixText = ''] = match;
  const suffix = readSuffix(suffixText);
  if (suffix === undefined) throw wrong("unable to parse quantity's suffix");
  const { base, exponent } = suffix;
  if (Math.abs(exponent) > LARGEST_EXPONENT) {
    throw wrong(`the exponent must lie between -${LARGEST_EXPONENT} and ${LARGEST_EXPONENT}`);
  }
  const digits = BigInt(whole + fraction) * (base === 2n ? 2n ** BigInt(exponent) : 1n);
  const power = (base === 10n ? exponent : 0) - fraction.length - LEAST_EXPONENT;
  const scale = 10n ** BigInt(Math.abs(power));
  let nanos = power >= 0 ? digits * scale : divideUp(digits, scale);
  let { format } = suffix;
  if (format === 'BinarySI') {
    if (nanos > BINARY_CAP) nanos = BINARY_CAP;
    if (nanos > 0n && nanos < 10n ** 9n) format = 'DecimalSI';
  }
  return quantityOfNanos(sign === '-' ? -nanos : nanos, format);
};

/** Objects repeat few amounts many times. */
const MOST_REMEMBERED = 10_000;
const LONGEST_REMEMBERED = 32;
const remembered = new RecentMap<string, Quantity>(MOST_REMEMBERED);

/**
 * Reads a quantity as it stands in an object, exactly as Kubernetes does: whatever a real server let
 * through can be read here.
 */
export const parseQuantity = (value: string | number | bigint): Quantity => {
  const text = String(value);
  const existing = remembered.get(text);
  if (existing !== undefined) return existing;
  const quantity = readQuantity(text.trim());
  if (text.length <= LONGEST_REMEMBERED) remembered.set(text, quantity);
  return quantity;
};

interface Reduced {
  readonly mantissa: bigint;
  readonly times: number;
}

/** Takes the factor out as often as it divides the number, at most the given number of times. */
const reduce = (value: bigint, factor: bigint, most: number): Reduced => {
  let mantissa = value;
  let times = 0;
  while (times < most && mantissa % factor === 0n) {
    mantissa /= factor;
    times++;
  }
  return { mantissa, times };
};

/**
 * The canonical text: no fraction, and the largest suffix that loses nothing. Binary units give way to
 * decimal ones below 1024 and for fractions.
 */
export const formatQuantity = (quantity: Quantity): string => {
  const nanos = nanosOf(quantity);
  if (nanos === 0n) return '0';
  const { units, format } = quantity;
  if (format === 'BinarySI' && quantity.nanos === 0 && (units >= 1024 || units <= -1024)) {
    const { mantissa, times } = reduce(BigInt(units), 1024n, BINARY_SUFFIXES.length - 1);
    return `${mantissa}${BINARY_SUFFIXES[times]}`;
  }
  if (format === 'DecimalExponent') {
    const { mantissa, times } = reduce(nanos, 1000n, Number.POSITIVE_INFINITY);
    const exponent = LEAST_EXPONENT + times * 3;
    return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`;
  }
  const { mantissa, times } = reduce(nanos, 1000n, DECIMAL_SUFFIXES.length - 1);
  return `${mantissa}${DECIMAL_SUFFIXES[times]}`;
};
