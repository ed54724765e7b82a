import { hexText, utf8Bytes, utf8Text } from '../../bytes.ts';
import { goFloat, goQuote } from '../../go-text.ts';
import { CelFailure } from '../failure.ts';
import { typeText } from '../types.ts';
import {
  Duration,
  ListValue,
  MapValue,
  Timestamp,
  TypeValue,
  typeOf,
  Uint,
  type Value,
} from '../values.ts';
import { formatSeconds, formatTimestamp } from './time-text.ts';

const unsupported = (clause: string, allowedTypes: string, value: Value): CelFailure =>
  new CelFailure(
    `error during formatting: ${clause} clause can only be used on ${allowedTypes}, was given ${typeText(typeOf(value))}`,
  );

/** A value inside of a list or a map. */
const innerText = (value: Value): string => {
  if (typeof value === 'string') return goQuote(value);
  return typeof value === 'number' ? value.toFixed(6) : plainText(value);
};

/** A value as `%s` shows it. */
const plainText = (value: Value): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return goFloat(value);
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value === null) return 'null';
  if (value instanceof Uint8Array) return utf8Text(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatSeconds(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof ListValue) return `[${value.items.map(innerText).join(', ')}]`;
  if (value instanceof MapValue) {
    const entries = [...value.entries].map(
      ([key, entry]) => `${innerText(key)}:${innerText(entry)}`,
    );
    return `{${entries.sort().join(', ')}}`;
  }
  const typeNames =
    'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps';
  throw unsupported('string', typeNames, value);
};

const wholeNumber = (value: Value, clause: string): bigint => {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return value.value;
  throw unsupported(clause, 'integers', value);
};

const double = (value: Value, clause: string): number => {
  if (typeof value === 'number') return value;
  throw unsupported(clause, 'doubles', value);
};

const hex = (value: Value): string => {
  if (typeof value === 'string') return hexText(utf8Bytes(value));
  if (value instanceof Uint8Array) return hexText(value);
  return wholeNumber(value, 'hex').toString(16);
};

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** CEL writes `1.234500×10⁰³`, with six digits whatever the clause asks for. */
const scientific = (value: number): string => {
  const [mantissa = '', exponent = '0'] = value.toExponential(6).split('e');
  const digits = String(Math.abs(Number(exponent))).padStart(2, '0');
  const raised = digits.replace(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)] ?? digit);
  return `${mantissa}×10${Number(exponent) < 0 ? '⁻' : ''}${raised}`;
};

const MOST_DIGITS = 100;

const formatOne = (verb: string, precision: number, value: Value): string => {
  switch (verb) {
    case 's':
      return plainText(value);
    case 'd':
      return String(wholeNumber(value, 'decimal'));
    case 'f':
      return double(value, 'fixed-point').toFixed(precision);
    case 'e':
      return scientific(double(value, 'scientific'));
    case 'b':
      return typeof value === 'boolean'
        ? String(Number(value))
        : wholeNumber(value, 'binary').toString(2);
    case 'o':
      return wholeNumber(value, 'octal').toString(8);
    case 'x':
      return hex(value);
    case 'X':
      return hex(value).toUpperCase();
    default:
      throw new CelFailure(
        `could not parse formatting clause: unrecognized formatting clause "${verb}"`,
      );
  }
};

const CLAUSE = /%(?:%|(?:\.(\d*))?(.?))/gsu;

/** Fills `%s`, `%d`, `%.2f` and the like in a text with values. */
export const formatText = (text: string, values: readonly Value[]): string => {
  let next = 0;
  return text.replace(CLAUSE, (clause, precision: string | undefined, verb: string | undefined) => {
    if (clause === '%%') return '%';
    const value = values[next];
    if (value === undefined) throw new CelFailure(`index ${next} out of range`);
    next++;
    const digits = precision === undefined ? 6 : Number(precision);
    return formatOne(verb ?? '', Math.min(digits, MOST_DIGITS), value);
  });
};
