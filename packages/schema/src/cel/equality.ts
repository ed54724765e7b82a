import { compareBytes } from '../bytes.ts';
import { goJson } from '../go-text.ts';
import { sameJson } from '../same-json.ts';
import { keyTextOf } from '../structural/list-keys.ts';
import type { Budget } from './budget.ts';
import { noSuchOverload } from './failure.ts';
import {
  Duration,
  jsonWeight,
  ListValue,
  MapValue,
  OpaqueValue,
  OptionalValue,
  StructValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
  weightOf,
} from './values.ts';

type Numeric = bigint | number | Uint;

const isNumeric = (value: Value): value is Numeric =>
  typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;

const plainNumber = (value: Numeric): bigint | number =>
  value instanceof Uint ? value.value : value;

const sameNumber = (a: Numeric, b: Numeric): boolean => {
  const [left, right] = [plainNumber(a), plainNumber(b)];
  return left <= right && left >= right;
};

const sameItems = (a: ListValue, b: ListValue, budget: Budget): boolean =>
  a.items.every((item, index) => {
    const other = b.items[index];
    return other !== undefined && isEqual(item, other, budget);
  });

const sameSets = (a: ListValue, b: ListValue): boolean => {
  const identities = new Set(a.items.map(identityText));
  return b.items.every((item) => identities.has(identityText(item)));
};

/** Elements of a list that is a map by keys are identified by the keys alone. */
const keyOf = (value: Value, keys: readonly string[]): string | undefined =>
  value instanceof StructValue ? keyTextOf(value.json, keys) : undefined;

const sameKeyed = (
  a: ListValue,
  b: ListValue,
  keys: readonly string[],
  budget: Budget,
): boolean => {
  const byKey = new Map(a.items.map((item) => [keyOf(item, keys), item]));
  return b.items.every((item) => {
    const other = byKey.get(keyOf(item, keys));
    return other !== undefined && isEqual(other, item, budget);
  });
};

const sameLists = (a: ListValue, b: ListValue, budget: Budget): boolean => {
  if (a.items.length !== b.items.length) return false;
  if (a.identity === 'order') return sameItems(a, b, budget);
  budget.spend(weightOf(a) + weightOf(b));
  return a.identity === 'set' ? sameSets(a, b) : sameKeyed(a, b, a.identity, budget);
};

const sameMaps = (a: MapValue, b: MapValue, budget: Budget): boolean => {
  if (a.entries.size !== b.entries.size) return false;
  for (const [key, value] of a.entries) {
    const other = b.entries.get(key);
    if (other === undefined || !isEqual(value, other, budget)) return false;
  }
  return true;
};

/** Fields that the schema declares are compared as CEL values, all others as JSON. */
const sameStructs = (a: StructValue, b: StructValue, budget: Budget): boolean => {
  const names = new Set([...Object.keys(a.json), ...Object.keys(b.json)]);
  for (const [celName, { name }] of a.type.fields) {
    if (!names.delete(name)) continue;
    const [left, right] = [a.get(celName), b.get(celName)];
    if (left === undefined || right === undefined) {
      if (left !== right) return false;
    } else if (!isEqual(left, right, budget)) return false;
  }
  for (const name of names) {
    budget.spend(jsonWeight(a.json[name]));
    if (!sameJson(a.json[name], b.json[name])) return false;
  }
  return true;
};

const sameObjects = (a: Exclude<Value, null> & object, b: object, budget: Budget): boolean => {
  if (a instanceof ListValue) return b instanceof ListValue && sameLists(a, b, budget);
  if (a instanceof StructValue) return b instanceof StructValue && sameStructs(a, b, budget);
  if (a instanceof MapValue) return b instanceof MapValue && sameMaps(a, b, budget);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof OpaqueValue) return b instanceof OpaqueValue && a.identity === b.identity;
  if (!(a instanceof OptionalValue && b instanceof OptionalValue)) return false;
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return isEqual(a.value, b.value, budget);
};

/**
 * Equality as CEL has it: numbers of all types compare by value, other types are never equal. Each
 * value that is compared costs something, so that comparing large objects in a loop has an end.
 */
export const isEqual = (a: Value, b: Value, budget: Budget): boolean => {
  budget.spend(1);
  if (a === b) return true;
  if (isNumeric(a)) return isNumeric(b) && sameNumber(a, b);
  return typeof a === 'object' && typeof b === 'object' && a !== null && b !== null
    ? sameObjects(a, b, budget)
    : false;
};

/** A text that is the same for equal values only; makes sets of values fast. */
export const identityText = (value: Value): string => {
  if (isNumeric(value)) {
    const number = plainNumber(value);
    return typeof number === 'number' && Number.isInteger(number)
      ? `${BigInt(number)}`
      : `${number}`;
  }
  if (value instanceof ListValue) return `[${value.items.map(identityText).join()}]`;
  if (value instanceof StructValue) return goJson(value.json);
  if (value instanceof MapValue) {
    const entries = [...value.entries].map(
      ([key, entry]) => `${identityText(key)}:${identityText(entry)}`,
    );
    return `{${entries.sort().join()}}`;
  }
  if (value instanceof Timestamp || value instanceof Duration) {
    return `${value.type.kind} ${value.nanos}`;
  }
  if (value instanceof OpaqueValue) return value.identity;
  return JSON.stringify(value);
};

const order = <T extends string | bigint | number | boolean>(a: T, b: T): number =>
  a < b ? -1 : a > b ? 1 : 0;

/** Negative, zero or positive, for values of types that have an order; fails for all others. */
export const compare = (a: Value, b: Value): number => {
  if (isNumeric(a) && isNumeric(b)) {
    const [left, right] = [plainNumber(a), plainNumber(b)];
    return left < right ? -1 : left > right ? 1 : 0;
  }
  if (typeof a === 'string' && typeof b === 'string') return order(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return order(a, b);
  if (a instanceof Timestamp && b instanceof Timestamp) return order(a.nanos, b.nanos);
  if (a instanceof Duration && b instanceof Duration) return order(a.nanos, b.nanos);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  throw noSuchOverload();
};
