import type { JsonObject, JsonValue } from './json.ts';

/**
 * Values as Go prints them. Error messages of Kubernetes are part of its protocol: people search for
 * them and programs match them, so ours must not differ in the way a number or a string is shown.
 */

const ESCAPES: { readonly [char: string]: string } = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

const SPECIAL = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

const escapeChar = (char: string): string => {
  const shortForm = ESCAPES[char];
  if (shortForm !== undefined) return shortForm;
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
};

/** A string in quotes, as `%q` prints it. */
export const goQuote = (text: string): string => `"${text.replace(SPECIAL, escapeChar)}"`;

/** Go prints a float in scientific form beyond these exponents. */
const LARGEST_PLAIN_EXPONENT = 5;
const SMALLEST_PLAIN_EXPONENT = -4;

/** A float as `%v` prints it: `0.5`, `1e+06`, `1.23e-05`. */
export const goFloat = (value: number): string => {
  if (!Number.isFinite(value)) {
    return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  }
  const [mantissa = '0', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= SMALLEST_PLAIN_EXPONENT && exponent <= LARGEST_PLAIN_EXPONENT) {
    const digits = mantissa.replace(/[-.]/g, '');
    const decimals = Math.max(0, digits.length - 1 - exponent);
    return value.toFixed(decimals);
  }
  const sign = exponent < 0 ? '-' : '+';
  return `${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
};

/** Whole numbers up to the largest 64-bit one are integers to Kubernetes, all others are floats. */
export const isInt64 = (value: number | bigint): boolean =>
  (typeof value === 'bigint' || Number.isInteger(value)) && value >= -(2 ** 63) && value < 2 ** 63;

/** A number as `%v` prints it. JSON's `1e6` is an integer here, as JavaScript cannot tell it from 1000000. */
export const goNumber = (value: number | bigint): string =>
  isInt64(value) ? BigInt(value).toString() : goFloat(Number(value));

const HTML = /[<>&\u2028\u2029]/g;
const escapeHtml = (char: string): string =>
  `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

const sortKeys = (_key: string, value: JsonValue): JsonValue =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** JSON as Go writes it: sorted keys, and HTML's own characters escaped. */
export const goJson = (value: JsonValue): string =>
  JSON.stringify(value, sortKeys).replace(HTML, escapeHtml);

/** The same for what is a struct in Go, whose fields keep their order. */
export const goStruct = (value: JsonObject): string =>
  JSON.stringify(value).replace(HTML, escapeHtml);

/** A value in the body of a field error. */
export const goValue = (value: JsonValue | undefined): string => {
  switch (typeof value) {
    case 'undefined':
      return 'null';
    case 'string':
      return goQuote(value);
    case 'number':
    case 'bigint':
      return goNumber(value);
    case 'boolean':
      return String(value);
    default:
      return goJson(value);
  }
};

/** A value of any form as `%+v` prints it: `map[a:1 b:[x <nil>]]`. */
export const goPlain = (value: JsonValue | undefined): string => {
  if (value === undefined || value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goPlain).join(' ')}]`;
  if (typeof value === 'number' || typeof value === 'bigint') return goNumber(value);
  if (typeof value !== 'object') return String(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, item]) => `${key}:${goPlain(item)}`).join(' ')}]`;
};
