import { goQuote } from '../../go-text.ts';
import { textCost } from '../budget.ts';
import { CelFailure } from '../failure.ts';
import { func, method, type Overload } from '../signature.ts';
import { ListValue, type Value, weightOf } from '../values.ts';
import { formatText } from './format-text.ts';

/** Positions in strings count characters, where JavaScript counts the halves of a surrogate pair. */
const hasPairs = (text: string): boolean => /[\ud800-\udfff]/.test(text);

const slice = (text: string, from: number, to?: number): string =>
  hasPairs(text) ? [...text].slice(from, to).join('') : text.slice(from, to);

const lengthOf = (text: string): number => (hasPairs(text) ? [...text].length : text.length);

/** The position of a match that JavaScript found, counted in characters. */
const positionOf = (text: string, index: number): bigint =>
  BigInt(index > 0 && hasPairs(text) ? [...text.slice(0, index)].length : index);

/** The place in a JavaScript string where the character of this position begins. */
const indexAt = (text: string, position: number): number =>
  hasPairs(text) ? [...text].slice(0, position).join('').length : position;

const outOfRange = (position: bigint): CelFailure =>
  new CelFailure(`index out of range: ${position}`);

const checked = (text: string, position: bigint): number => {
  if (position < 0n || position > BigInt(lengthOf(text))) throw outOfRange(position);
  return Number(position);
};

const substring = (text: string, from: bigint, to?: bigint): string => {
  const start = checked(text, from);
  const end = to === undefined ? undefined : checked(text, to);
  if (end !== undefined && start > end) {
    throw new CelFailure(`invalid substring range. start: ${start}, end: ${end}`);
  }
  return slice(text, start, end);
};

const charAt = (text: string, position: bigint): string => {
  const start = checked(text, position);
  return slice(text, start, start + 1);
};

const notNegative = (position: bigint): bigint => {
  if (position < 0n) throw outOfRange(position);
  return position;
};

const indexOf = (text: string, part: string, from = 0n): bigint => {
  if (part === '') return notNegative(from);
  if (notNegative(from) >= BigInt(lengthOf(text))) return -1n;
  return positionOf(text, text.indexOf(part, indexAt(text, Number(from))));
};

const lastIndexOf = (text: string, part: string, from?: bigint): bigint => {
  if (from === undefined) return positionOf(text, text.lastIndexOf(part));
  if (part === '') return notNegative(from);
  if (notNegative(from) >= BigInt(lengthOf(text))) return -1n;
  return positionOf(text, text.lastIndexOf(part, indexAt(text, Number(from))));
};

/** An empty text is found before each character and at the end. */
const replace = (text: string, from: string, to: string, most = -1n): string => {
  const parts = from === '' ? ['', ...text, ''] : text.split(from);
  const places = parts.length - 1;
  const count = most < 0n ? places : Math.min(Number(most), places);
  const untouchedParts = parts.slice(count + 1).map((part) => from + part);
  return parts.slice(0, count + 1).join(to) + untouchedParts.join('');
};

/** With a limit, the last part holds all that is left. */
const split = (text: string, separator: string, most = -1n): ListValue => {
  const parts = separator === '' ? [...text] : text.split(separator);
  if (most < 0n || BigInt(parts.length) <= most) return new ListValue(parts);
  if (most === 0n) return new ListValue([]);
  const head = Number(most) - 1;
  return new ListValue([...parts.slice(0, head), parts.slice(head).join(separator)]);
};

const join = (list: ListValue, separator = ''): string => list.items.join(separator);

const joinCost = (list: ListValue, separator = ''): number => {
  let length = 0;
  for (const item of list.items) length += String(item).length + separator.length;
  return textCost(2 * length) + list.items.length;
};

const walk = (text: string): number => textCost(text.length);
const formatCost = (text: string, values: ListValue): number => walk(text) + weightOf(values);
const walkTwice = (text: string): number => textCost(2 * text.length);

/** The replacement may be longer than the replaced part. */
const replaceCost = (text: string, from: string, to: string): number => {
  const most = from === '' ? text.length + 1 : text.length / from.length;
  return textCost(2 * text.length + most * to.length);
};

export const STRINGS: readonly Overload[] = [
  func('jsonpatch.escapeKey(string): string', (key: string) =>
    key.replaceAll('~', '~0').replaceAll('/', '~1'),
  ),
  method(
    'string',
    'contains(string): bool',
    (text: string, part: string) => text.includes(part),
    (text: string, part: string) => textCost(text.length) * textCost(part.length),
  ),
  method(
    'string',
    'startsWith(string): bool',
    (text: string, part: string) => text.startsWith(part),
    walk,
  ),
  method(
    'string',
    'endsWith(string): bool',
    (text: string, part: string) => text.endsWith(part),
    walk,
  ),
  method('string', 'charAt(int): string', charAt, walk),
  method(
    'string',
    'indexOf(string): int',
    (text: string, part: string) => indexOf(text, part),
    walk,
  ),
  method(
    'string',
    'indexOf(string, int): int',
    (text: string, part: string, from: bigint) => indexOf(text, part, from),
    walk,
  ),
  method(
    'string',
    'lastIndexOf(string): int',
    (text: string, part: string) => lastIndexOf(text, part),
    walk,
  ),
  method(
    'string',
    'lastIndexOf(string, int): int',
    (text: string, part: string, from: bigint) => lastIndexOf(text, part, from),
    walk,
  ),
  method(
    'string',
    'lowerAscii(): string',
    (text: string) => text.replace(/[A-Z]+/g, (match) => match.toLowerCase()),
    walk,
  ),
  method(
    'string',
    'upperAscii(): string',
    (text: string) => text.replace(/[a-z]+/g, (match) => match.toUpperCase()),
    walk,
  ),
  method('string', 'trim(): string', (text: string) => text.trim(), walk),
  method(
    'string',
    'substring(int): string',
    (text: string, from: bigint) => substring(text, from),
    walk,
  ),
  method(
    'string',
    'substring(int, int): string',
    (text: string, from: bigint, to: bigint) => substring(text, from, to),
    walk,
  ),
  method(
    'string',
    'replace(string, string): string',
    (text: string, from: string, to: string) => replace(text, from, to),
    replaceCost,
  ),
  method(
    'string',
    'replace(string, string, int): string',
    (text: string, from: string, to: string, most: bigint) => replace(text, from, to, most),
    replaceCost,
  ),
  method(
    'string',
    'split(string): list<string>',
    (text: string, separator: string) => split(text, separator),
    walkTwice,
  ),
  method(
    'string',
    'split(string, int): list<string>',
    (text: string, separator: string, most: bigint) => split(text, separator, most),
    walkTwice,
  ),
  method('list<string>', 'join(): string', (list: ListValue) => join(list), joinCost),
  method(
    'list<string>',
    'join(string): string',
    (list: ListValue, separator: string) => join(list, separator),
    joinCost,
  ),
  method(
    'string',
    'format(list<dyn>): string',
    (text: string, list: ListValue) => formatText(text, list.items),
    formatCost,
  ),
  func('strings.quote(string): string', (text: string): Value => goQuote(text), walk),
];
