import { keyTextOf } from '../../structural/list-keys.ts';
import { type Budget, textCost } from '../budget.ts';
import { compare, identityText, isEqual } from '../equality.ts';
import { CelFailure } from '../failure.ts';
import { func, type Overload } from '../signature.ts';
import {
  Duration,
  ListValue,
  type MapKey,
  type MapValue,
  StructValue,
  sizeOf,
  Timestamp,
  Uint,
  type Value,
} from '../values.ts';

const LEAST_INT = -(2n ** 63n);
const MOST_INT = 2n ** 63n - 1n;
const MOST_UINT = 2n ** 64n - 1n;

/** The result of arithmetic, if it fits into 64 bits. */
export const toInt64 = (value: bigint): bigint => {
  if (value >= LEAST_INT && value <= MOST_INT) return value;
  throw new CelFailure('integer overflow');
};

export const toUint64 = (value: bigint): Uint => {
  if (value >= 0n && value <= MOST_UINT) return new Uint(value);
  throw new CelFailure('unsigned integer overflow');
};

const divisor = (value: bigint, operation: 'divide' | 'modulus'): bigint => {
  if (value !== 0n) return value;
  throw new CelFailure(operation === 'divide' ? 'division by zero' : 'modulus by zero');
};

const duration = (nanos: bigint): Duration => new Duration(toInt64(nanos));

/** Joins lists; those that are sets or maps by keys are merged, and the later element wins. */
const concat = (a: ListValue, b: ListValue): ListValue => {
  const { identity } = a;
  if (identity === 'order') return new ListValue([...a.items, ...b.items]);
  const keyOf = (item: Value): string =>
    (identity !== 'set' && item instanceof StructValue && keyTextOf(item.json, identity)) ||
    identityText(item);
  const mergedItems = new Map(a.items.map((item) => [keyOf(item), item]));
  for (const item of b.items) mergedItems.set(keyOf(item), item);
  return new ListValue([...mergedItems.values()], identity);
};

const bothTexts = (a: string | Uint8Array, b: string | Uint8Array): number =>
  textCost(a.length + b.length);
const shorterText = (a: Value, b: Value): number => textCost(Math.min(sizeOf(a), sizeOf(b)));

const arithmetic: readonly Overload[] = [
  func('_+_(int, int): int', (a: bigint, b: bigint) => toInt64(a + b)),
  func('_+_(uint, uint): uint', (a: Uint, b: Uint) => toUint64(a.value + b.value)),
  func('_+_(double, double): double', (a: number, b: number) => a + b),
  func('_+_(string, string): string', (a: string, b: string) => a + b, bothTexts),
  func(
    '_+_(bytes, bytes): bytes',
    (a: Uint8Array, b: Uint8Array) => new Uint8Array([...a, ...b]),
    bothTexts,
  ),
  func(
    '_+_(list<A>, list<A>): list<A>',
    concat,
    (a: ListValue, b: ListValue) => textCost(a.items.length + b.items.length) + 1,
  ),
  func('_+_(duration, duration): duration', (a: Duration, b: Duration) =>
    duration(a.nanos + b.nanos),
  ),
  func(
    '_+_(timestamp, duration): timestamp',
    (a: Timestamp, b: Duration) => new Timestamp(a.nanos + b.nanos),
  ),
  func(
    '_+_(duration, timestamp): timestamp',
    (a: Duration, b: Timestamp) => new Timestamp(a.nanos + b.nanos),
  ),
  func('_-_(int, int): int', (a: bigint, b: bigint) => toInt64(a - b)),
  func('_-_(uint, uint): uint', (a: Uint, b: Uint) => toUint64(a.value - b.value)),
  func('_-_(double, double): double', (a: number, b: number) => a - b),
  func('_-_(duration, duration): duration', (a: Duration, b: Duration) =>
    duration(a.nanos - b.nanos),
  ),
  func(
    '_-_(timestamp, duration): timestamp',
    (a: Timestamp, b: Duration) => new Timestamp(a.nanos - b.nanos),
  ),
  func('_-_(timestamp, timestamp): duration', (a: Timestamp, b: Timestamp) =>
    duration(a.nanos - b.nanos),
  ),
  func('_*_(int, int): int', (a: bigint, b: bigint) => toInt64(a * b)),
  func('_*_(uint, uint): uint', (a: Uint, b: Uint) => toUint64(a.value * b.value)),
  func('_*_(double, double): double', (a: number, b: number) => a * b),
  func('_/_(int, int): int', (a: bigint, b: bigint) => toInt64(a / divisor(b, 'divide'))),
  func(
    '_/_(uint, uint): uint',
    (a: Uint, b: Uint) => new Uint(a.value / divisor(b.value, 'divide')),
  ),
  func('_/_(double, double): double', (a: number, b: number) => a / b),
  func('_%_(int, int): int', (a: bigint, b: bigint) => a % divisor(b, 'modulus')),
  func(
    '_%_(uint, uint): uint',
    (a: Uint, b: Uint) => new Uint(a.value % divisor(b.value, 'modulus')),
  ),
  func('-_(int): int', (a: bigint) => toInt64(-a)),
  func('-_(double): double', (a: number) => -a),
  func('!_(bool): bool', (a: boolean) => !a),
];

const ORDERED = ['bool', 'string', 'bytes', 'timestamp', 'duration'];
const NUMBERS = ['int', 'uint', 'double'];
const PAIRS = [
  ...ORDERED.map((type) => `${type}, ${type}`),
  ...NUMBERS.flatMap((left) => NUMBERS.map((right) => `${left}, ${right}`)),
];

const comparisons: readonly Overload[] = PAIRS.flatMap((pair) => [
  func(`_<_(${pair}): bool`, (a: Value, b: Value) => compare(a, b) < 0, shorterText),
  func(`_<=_(${pair}): bool`, (a: Value, b: Value) => compare(a, b) <= 0, shorterText),
  func(`_>_(${pair}): bool`, (a: Value, b: Value) => compare(a, b) > 0, shorterText),
  func(`_>=_(${pair}): bool`, (a: Value, b: Value) => compare(a, b) >= 0, shorterText),
]);

const contains = (value: Value, list: ListValue, budget: Budget): boolean =>
  list.items.some((item) => isEqual(value, item, budget));

const membership: readonly Overload[] = [
  func('_==_(A, A): bool', isEqual, shorterText),
  func(
    '_!=_(A, A): bool',
    (a: Value, b: Value, budget: Budget) => !isEqual(a, b, budget),
    shorterText,
  ),
  func('@in(A, list<A>): bool', contains),
  func('@in(A, map<A, B>): bool', (key: MapKey, map: MapValue) => map.entries.has(key)),
];

export const OPERATORS: readonly Overload[] = [...arithmetic, ...comparisons, ...membership];
