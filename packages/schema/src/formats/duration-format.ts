import { ParseError } from '../errors.ts';
import { parseDuration } from '../values/duration.ts';

const SECOND = 1_000_000_000n;
const UNITS: readonly (readonly [nanos: bigint, ...names: readonly string[]])[] = [
  [1n, 'ns', 'nano'],
  [1_000n, 'us', 'µs', 'micro'],
  [1_000_000n, 'ms', 'milli'],
  [SECOND, 's', 'sec'],
  [60n * SECOND, 'm', 'min'],
  [3_600n * SECOND, 'h', 'hr', 'hour'],
  [86_400n * SECOND, 'd', 'day'],
  [604_800n * SECOND, 'w', 'wk', 'week'],
];

const PART = /(?<!\d)(\d+)\s*([A-Za-zµ]+)/g;

/** The length of a unit by its name; the last name of each also stands for all longer words. */
const unitNanos = (word: string): bigint | undefined => {
  const unit = word.toLowerCase();
  return UNITS.find(
    ([, ...names]) => names.includes(unit) || unit.startsWith(names.at(-1) ?? ' '),
  )?.[0];
};

/** More digits than any duration has; reading millions of them would take long. */
const TOO_MANY_DIGITS = /\d{20}/;

/** Reads Go's `1h30m` in nanoseconds. */
export const goDurationNanos = (text: string): bigint | undefined => {
  if (TOO_MANY_DIGITS.test(text)) return undefined;
  try {
    return BigInt(Math.round(parseDuration(text) * 1e6));
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
};

/** Reads the `duration` format in nanoseconds: what Go writes, and words such as `3 days 4 hours`. */
export const durationNanos = (text: string): bigint | undefined => {
  const nanos = goDurationNanos(text);
  if (nanos !== undefined || TOO_MANY_DIGITS.test(text)) return nanos;
  let sum: bigint | undefined;
  for (const [, count = '0', word = ''] of text.matchAll(PART)) {
    const unit = unitNanos(word);
    if (unit !== undefined) sum = (sum ?? 0n) + BigInt(count) * unit;
  }
  return sum;
};
