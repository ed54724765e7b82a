import { ParseError } from '../errors.ts';

/** Most times that are written are of the same second as the one before. */
let latest = { second: Number.NaN, text: '' };

/**
 * The moment in RFC 3339 to the second, as most times in Kubernetes objects are written. A fraction of
 * a second is cut off.
 */
export const formatTime = (ms: number): string => {
  const second = Math.floor(ms / 1000);
  if (second !== latest.second) {
    latest = { second, text: `${new Date(second * 1000).toISOString().slice(0, 19)}Z` };
  }
  return latest.text;
};

/** The moment in RFC 3339 with six digits of the second, as leases and events write it. */
export const formatMicroTime = (ms: number): string => {
  const wholeMs = Math.floor(ms);
  // The fraction alone is exact; multiplying all of it would lose the last digit.
  const micros = Math.round((ms - wholeMs) * 1000);
  if (micros === 1000) return formatMicroTime(wholeMs + 1);
  return `${new Date(wholeMs).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
};

const TIME =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;

/** Days that every month has, which need no table. */
const PLAIN_TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/**
 * True if a text is certainly a time as `formatTime` writes it; some of the last days of a month are not
 * known to be. Every write meets such times again and again, and this is much quicker than to read them.
 */
export const isPlainTime = (text: string): boolean => PLAIN_TIME.test(text);

const daysIn = (year: number, month: number): number =>
  month === 2
    ? (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
      ? 29
      : 28
    : month === 4 || month === 6 || month === 9 || month === 11
      ? 30
      : 31;

/**
 * Reads RFC 3339 as Kubernetes does, with any offset and any fraction. The result is in milliseconds
 * since the epoch, exact to the microsecond for two centuries to come; what is finer is cut off.
 */
export const parseTime = (text: string): number => {
  const wrong = (why: string): ParseError =>
    new ParseError(
      `${JSON.stringify(text)} is not a time: ${why}; write RFC 3339, such as 2026-01-02T15:04:05Z`,
    );
  const match = TIME.exec(text);
  if (match === null) throw wrong('not in the format');
  const field = (index: number): number => Number(match[index] ?? 0);
  const [year, month, day] = [field(1), field(2), field(3)];
  const [hour, minute, second] = [field(4), field(5), field(6)];
  if (month < 1 || month > 12) throw wrong('month out of range');
  if (day < 1 || day > daysIn(year, month)) throw wrong('day out of range');
  if (hour > 23) throw wrong('hour out of range');
  if (minute > 59) throw wrong('minute out of range');
  if (second > 59) throw wrong('second out of range');
  const [offsetHour, offsetMinute] = [field(9), field(10)];
  if (offsetHour > 24 || offsetMinute > 60) throw wrong('offset out of range');

  const date = new Date(0);
  // Not Date.UTC, which takes the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  const offset = (offsetHour * 60 + offsetMinute) * (match[8] === '-' ? -1 : 1);
  const wholeMs = date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000;
  const micros = Number((match[7] ?? '').slice(0, 6).padEnd(6, '0'));
  return (wholeMs * 1000 + micros) / 1000;
};
