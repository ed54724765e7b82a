import { ParseError } from '../errors.ts';

const NANOS: { readonly [unit: string]: bigint } = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const LONGEST_NANOS = 2n ** 63n;
const PART = /(\d*)(?:\.(\d*))?([^\d.]*)/y;

/** A fraction as fine as the shortest unit can show of the longest. */
const FRACTION_DIGITS = 18;

/** Reads a duration as Go writes it, such as `1h30m` or `-1.5s`; the result is in milliseconds. */
export const parseDuration = (text: string): number => {
  const wrong = (problem: string) =>
    new ParseError(`time: ${problem} duration ${JSON.stringify(text)}`);
  const sign = text.startsWith('-') ? -1 : 1;
  const start = /^[+-]/.test(text) ? 1 : 0;
  if (text.slice(start) === '0') return 0;
  if (start === text.length) throw wrong('invalid');
  let nanos = 0n;
  PART.lastIndex = start;
  while (PART.lastIndex < text.length) {
    const [, whole = '', fraction = '', unit = ''] = PART.exec(text) ?? [];
    if (whole === '' && fraction === '') throw wrong('invalid');
    if (unit === '') throw wrong('missing unit in');
    const scale = Object.hasOwn(NANOS, unit) ? NANOS[unit] : undefined;
    if (scale === undefined) throw wrong(`unknown unit ${JSON.stringify(unit)} in`);
    const digits = fraction.slice(0, FRACTION_DIGITS).padEnd(FRACTION_DIGITS, '0');
    nanos += BigInt(whole) * scale + (BigInt(digits) * scale) / 10n ** BigInt(FRACTION_DIGITS);
    if (nanos > LONGEST_NANOS) throw wrong('invalid');
  }
  if (sign > 0 && nanos === LONGEST_NANOS) throw wrong('invalid');
  return (sign * Number(nanos)) / 1e6;
};

const withFraction = (nanos: bigint, unitNanos: bigint, unit: string): string => {
  const digits = String(unitNanos).length - 1;
  const fraction = String(nanos % unitNanos)
    .padStart(digits, '0')
    .slice(0, digits)
    .replace(/(?<!0)0+$/, '');
  return `${nanos / unitNanos}${fraction === '' ? '' : `.${fraction}`}${unit}`;
};

/** The duration as Go writes it: `1h30m0s`, `1.5s`, `250ms`, `0s`. Exact to the nanosecond up to 99 days. */
export const formatDuration = (ms: number): string => {
  const wholeMs = Math.trunc(ms);
  const nanoseconds = BigInt(wholeMs) * 1_000_000n + BigInt(Math.round((ms - wholeMs) * 1e6));
  const nanos = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const sign = nanoseconds < 0n ? '-' : '';
  if (nanos === 0n) return '0s';
  if (nanos < 1_000n) return `${sign}${nanos}ns`;
  if (nanos < 1_000_000n) return sign + withFraction(nanos, 1_000n, 'µs');
  if (nanos < 1_000_000_000n) return sign + withFraction(nanos, 1_000_000n, 'ms');
  const minutes = nanos / 60_000_000_000n;
  const seconds = withFraction(nanos % 60_000_000_000n, 1_000_000_000n, 's');
  if (minutes === 0n) return sign + seconds;
  const hours = minutes / 60n;
  return `${sign}${hours > 0n ? `${hours}h` : ''}${minutes % 60n}m${seconds}`;
};
