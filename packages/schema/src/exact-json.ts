import type { JsonValue } from './json.ts';

declare global {
  interface BigInt {
    toJSON(): object;
  }
  interface JSON {
    rawJSON(text: string): object;
  }
}

/**
 * Objects of others may hold whole numbers of 64 bits, which must not change: every serialiser, in
 * any package, writes them as such. Only `parseExactJson` makes such values.
 */
BigInt.prototype.toJSON = function (this: bigint) {
  return JSON.rawJSON(String(this));
};

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/** A whole number in the form that JSON values have. Beyond 64 bits it is a float, as to Kubernetes. */
export const exactInteger = (value: bigint): number | bigint => {
  const near = Number(value);
  const isKept = String(near) === String(value);
  return isKept || value > INT64_MAX || value < INT64_MIN ? near : value;
};

/** No number of 64 bits is longer, in whatever base. */
const LONGEST_EXACT = '0b'.length + 64;

/** The same from digits, which may begin with the prefix of their base. */
export const exactIntegerOf = (digits: string, isNegative: boolean): number | bigint => {
  // To make a `BigInt` takes more than twice as long for twice as many digits.
  if (digits.length > LONGEST_EXACT) return isNegative ? -Number(digits) : Number(digits);
  const magnitude = BigInt(digits);
  return exactInteger(isNegative ? -magnitude : magnitude);
};

const SHORTEST_INEXACT = 16;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Any run of so many digits covers one of the places that are checked. */
const hasLongNumber = (text: string): boolean => {
  for (let at = SHORTEST_INEXACT - 1; at < text.length; at += SHORTEST_INEXACT) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at;
    let end = at + 1;
    while (start > 0 && isDigit(text.charCodeAt(start - 1))) start -= 1;
    while (end < text.length && isDigit(text.charCodeAt(end))) end += 1;
    if (end - start >= SHORTEST_INEXACT) return true;
  }
  return false;
};

const WHOLE = /^-?\d+$/;

const exactly = (_: string, value: JsonValue, { source = '' }: { source?: string }): JsonValue =>
  typeof value === 'number' && !Number.isSafeInteger(value) && WHOLE.test(source)
    ? exactIntegerOf(source.replace('-', ''), source.startsWith('-'))
    : value;

/** `JSON.parse` that keeps whole numbers of 64 bits. Without any, it costs a check of every 16th character. */
export const parseExactJson = (text: string): JsonValue =>
  hasLongNumber(text)
    ? (JSON.parse(text, exactly as Parameters<JSON['parse']>[1]) as JsonValue)
    : (JSON.parse(text) as JsonValue);
