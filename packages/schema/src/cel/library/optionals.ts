import { CelFailure, noSuchOverload } from '../failure.ts';
import { func, method, type Overload } from '../signature.ts';
import {
  Duration,
  ListValue,
  MapValue,
  NONE,
  OptionalValue,
  StructValue,
  sizeOf,
  Uint,
  type Value,
} from '../values.ts';

/** Empty, false, null and zero values, which `ofNonZeroValue` takes for absent. */
const isZero = (value: Value): boolean => {
  if (value === null || value === false || value === '' || value === 0n || value === 0) return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  const isCollection =
    value instanceof ListValue ||
    value instanceof MapValue ||
    value instanceof StructValue ||
    value instanceof Uint8Array;
  return isCollection && sizeOf(value) === 0;
};

const dereference = ({ value }: OptionalValue): Value => {
  if (value === undefined) throw new CelFailure('optional.none() dereference');
  return value;
};

const optionalOf = (value: Value | undefined): OptionalValue =>
  value === undefined ? NONE : new OptionalValue(value);

/** The values that are there. */
const unwrap = ({ items }: ListValue): ListValue =>
  new ListValue(
    items.flatMap((item) => {
      if (!(item instanceof OptionalValue)) throw noSuchOverload();
      return item.value === undefined ? [] : [item.value];
    }),
  );

/** `or`, `orValue`, `optMap` and `optFlatMap` evaluate their arguments late, and are part of the language. */
export const OPTIONALS: readonly Overload[] = [
  func('optional.of(A): optional<A>', (value: Value) => new OptionalValue(value)),
  func('optional.ofNonZeroValue(A): optional<A>', (value: Value) =>
    isZero(value) ? NONE : new OptionalValue(value),
  ),
  func('optional.none(): optional<A>', () => NONE),
  method('optional<A>', 'hasValue(): bool', ({ value }: OptionalValue) => value !== undefined),
  method('optional<A>', 'value(): A', dereference),
  method('list<A>', 'first(): optional<A>', ({ items }: ListValue) => optionalOf(items[0])),
  method('list<A>', 'last(): optional<A>', ({ items }: ListValue) => optionalOf(items.at(-1))),
  func('optional.unwrap(list<optional<A>>): list<A>', unwrap),
  method('list<optional<A>>', 'unwrapOpt(): list<A>', unwrap),
];
