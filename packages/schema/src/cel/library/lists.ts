import type { Budget } from '../budget.ts';
import { compare, identityText, isEqual } from '../equality.ts';
import { CelFailure } from '../failure.ts';
import { func, method, type Overload } from '../signature.ts';
import { Duration, ListValue, sizeOf, Uint, type Value, weightOf } from '../values.ts';
import { toInt64, toUint64 } from './operators.ts';

const bothLists = (a: ListValue, b: ListValue): number => weightOf(a) + weightOf(b);
export const sortCost = (list: ListValue): number =>
  weightOf(list) * Math.ceil(Math.log2(list.items.length + 2));

const isSorted = ({ items }: ListValue): boolean =>
  items.every((item, index) => {
    const before = items[index - 1];
    return before === undefined || compare(before, item) <= 0;
  });

const extreme =
  (name: string, sign: 1 | -1) =>
  ({ items }: ListValue): Value => {
    const [first, ...rest] = items;
    if (first === undefined) throw new CelFailure(`${name} called on empty list`);
    return rest.reduce((best, item) => (compare(best, item) * sign > 0 ? item : best), first);
  };

const indexOf = ({ items }: ListValue, value: Value, budget: Budget): bigint =>
  BigInt(items.findIndex((item) => isEqual(item, value, budget)));

const lastIndexOf = ({ items }: ListValue, value: Value, budget: Budget): bigint =>
  BigInt(items.findLastIndex((item) => isEqual(item, value, budget)));

const slice = ({ items }: ListValue, from: bigint, to: bigint): ListValue => {
  if (from < 0n || to < 0n) {
    throw new CelFailure(`cannot slice(${from}, ${to}), negative indexes not supported`);
  }
  if (from > to) {
    throw new CelFailure(
      `cannot slice(${from}, ${to}), start index must be less than or equal to end index`,
    );
  }
  if (to > items.length)
    throw new CelFailure(`cannot slice(${from}, ${to}), list is length ${items.length}`);
  return new ListValue(items.slice(Number(from), Number(to)));
};

const flatten = ({ items }: ListValue, depth: bigint, budget: Budget): ListValue => {
  if (depth < 0n) throw new CelFailure('level must be non-negative');
  const flat: Value[] = [];
  for (const item of items) {
    const parts =
      item instanceof ListValue && depth > 0n ? flatten(item, depth - 1n, budget).items : [item];
    budget.spend(parts.length);
    flat.push(...parts);
  }
  return new ListValue(flat);
};

const distinct = ({ items }: ListValue): ListValue => {
  const distinctItems = new Map<string, Value>();
  for (const item of items) {
    const identity = identityText(item);
    if (!distinctItems.has(identity)) distinctItems.set(identity, item);
  }
  return new ListValue([...distinctItems.values()]);
};

const range = (count: bigint, budget: Budget): ListValue => {
  budget.spend(Number(count < 0n ? 0n : count));
  return new ListValue(
    Array.from({ length: Math.max(0, Number(count)) }, (_, index) => BigInt(index)),
  );
};

const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];

const comparable: readonly Overload[] = COMPARABLE.flatMap((type) => [
  method(`list<${type}>`, 'isSorted(): bool', isSorted, weightOf),
  method(`list<${type}>`, `min(): ${type}`, extreme('min', 1), weightOf),
  method(`list<${type}>`, `max(): ${type}`, extreme('max', -1), weightOf),
  method(
    `list<${type}>`,
    `sort(): list<${type}>`,
    ({ items }: ListValue) => new ListValue(items.toSorted(compare)),
    sortCost,
  ),
]);

const sums: readonly Overload[] = [
  method(
    'list<int>',
    'sum(): int',
    ({ items }: ListValue) =>
      (items as readonly bigint[]).reduce((sum, item) => toInt64(sum + item), 0n),
    weightOf,
  ),
  method(
    'list<uint>',
    'sum(): uint',
    ({ items }: ListValue) =>
      (items as readonly Uint[]).reduce(
        (sum, item) => toUint64(sum.value + item.value),
        new Uint(0n),
      ),
    weightOf,
  ),
  method(
    'list<double>',
    'sum(): double',
    ({ items }: ListValue) => (items as readonly number[]).reduce((sum, item) => sum + item, 0),
    weightOf,
  ),
  method(
    'list<duration>',
    'sum(): duration',
    ({ items }: ListValue) =>
      (items as readonly Duration[]).reduce(
        (sum, item) => new Duration(toInt64(sum.nanos + item.nanos)),
        new Duration(0n),
      ),
    weightOf,
  ),
];

const identities = ({ items }: ListValue): Set<string> => new Set(items.map(identityText));

const sets: readonly Overload[] = [
  func(
    'sets.contains(list<A>, list<A>): bool',
    (list: ListValue, part: ListValue) => identities(part).isSubsetOf(identities(list)),
    bothLists,
  ),
  func(
    'sets.equivalent(list<A>, list<A>): bool',
    (a: ListValue, b: ListValue) => {
      const [left, right] = [identities(a), identities(b)];
      return left.size === right.size && left.isSubsetOf(right);
    },
    bothLists,
  ),
  func(
    'sets.intersects(list<A>, list<A>): bool',
    (a: ListValue, b: ListValue) => !identities(a).isDisjointFrom(identities(b)),
    bothLists,
  ),
];

export const LISTS: readonly Overload[] = [
  ...comparable,
  ...sums,
  ...sets,
  method('list<A>', 'indexOf(A): int', indexOf),
  method('list<A>', 'lastIndexOf(A): int', lastIndexOf),
  method('list<A>', 'slice(int, int): list<A>', slice, sizeOf),
  method('list<list<A>>', 'flatten(): list<A>', (list: ListValue, budget: Budget) =>
    flatten(list, 1n, budget),
  ),
  method('list<dyn>', 'flatten(int): list<dyn>', flatten),
  method(
    'list<A>',
    'reverse(): list<A>',
    ({ items }: ListValue) => new ListValue(items.toReversed()),
    sizeOf,
  ),
  method('list<A>', 'distinct(): list<A>', distinct, weightOf),
  func('lists.range(int): list<int>', range),
];
