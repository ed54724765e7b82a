import type { JsonObject, JsonValue } from '../json.ts';
import { textCost } from './budget.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  type ListIdentity,
  listOf,
  mapOf,
  NULL,
  type ObjectType,
  opaque,
  optionalOf,
  STRING,
  TIMESTAMP,
  TYPE,
  typeText,
  UINT,
} from './types.ts';

/**
 * A value of CEL. An int is a bigint and a double is a number, so that the two cannot be mixed up.
 */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | ListValue
  | MapValue
  | StructValue
  | OptionalValue
  | TypeValue
  | OpaqueValue;

export class Uint {
  readonly type = UINT;
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A moment, in nanoseconds since 1970. */
export class Timestamp {
  readonly type = TIMESTAMP;
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Duration {
  readonly type = DURATION;
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

const LIST = listOf(DYN);
const MAP = mapOf(DYN, DYN);
const OPTIONAL = optionalOf(DYN);

export class ListValue {
  readonly type = LIST;
  readonly items: readonly Value[];
  readonly identity: ListIdentity;

  constructor(items: readonly Value[], identity: ListIdentity = 'order') {
    this.items = items;
    this.identity = identity;
  }
}

export type MapKey = string | bigint | boolean;

export class MapValue {
  readonly type = MAP;
  readonly entries: ReadonlyMap<MapKey, Value>;

  constructor(entries: ReadonlyMap<MapKey, Value>) {
    this.entries = entries;
  }
}

/** An object of the schema. Its fields become CEL values when an expression asks for them. */
export class StructValue {
  readonly type: ObjectType;
  readonly json: JsonObject;
  readonly #toValue: (json: JsonValue, type: CelType) => Value;
  readonly #converted = new Map<string, Value>();

  constructor(
    json: JsonObject,
    type: ObjectType,
    toValue: (json: JsonValue, type: CelType) => Value,
  ) {
    this.json = json;
    this.type = type;
    this.#toValue = toValue;
  }

  /** The field of this CEL name; undefined when it is absent or null. */
  get(celName: string): Value | undefined {
    const field = this.type.fields.get(celName);
    if (field === undefined || !Object.hasOwn(this.json, field.name)) return undefined;
    const json = this.json[field.name];
    if (json === undefined || json === null) return undefined;
    const existing = this.#converted.get(celName);
    if (existing !== undefined) return existing;
    const value = this.#toValue(json, field.type);
    this.#converted.set(celName, value);
    return value;
  }
}

export class OptionalValue {
  readonly type = OPTIONAL;
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

export const NONE = new OptionalValue(undefined);

export class TypeValue {
  readonly type = TYPE;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * A value of one of Kubernetes' own types, such as a quantity or an IP address. Two of them are equal
 * when their identities are.
 */
export class OpaqueValue<T = unknown> {
  readonly type: CelType;
  readonly value: T;
  readonly #identity: () => string;

  constructor(name: string, value: T, identityOf: (value: T) => string) {
    this.type = opaque(name);
    this.value = value;
    this.#identity = () => identityOf(value);
  }

  get identity(): string {
    return `${typeText(this.type)} ${this.#identity()}`;
  }
}

export const typeOf = (value: Value): CelType => {
  switch (typeof value) {
    case 'string':
      return STRING;
    case 'bigint':
      return INT;
    case 'boolean':
      return BOOL;
    case 'number':
      return DOUBLE;
    default:
      if (value === null) return NULL;
      return value instanceof Uint8Array ? BYTES : value.type;
  }
};

/** Size of a value: its characters, bytes, elements or entries; 1 for other values. */
export const sizeOf = (value: Value): number => {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  if (value instanceof ListValue) return value.items.length;
  if (value instanceof MapValue) return value.entries.size;
  if (value instanceof StructValue) return Object.keys(value.json).length;
  return 1;
};

/** Cost of traversing a JSON value. */
export const jsonWeight = (json: JsonValue | undefined): number => {
  if (typeof json === 'string') return 1 + textCost(json.length);
  if (typeof json !== 'object' || json === null) return 1;
  return Object.values(json).reduce<number>((sum, child) => sum + jsonWeight(child), 1);
};

/** Cost of traversing a value: one for each part of it, and more for long strings. */
export const weightOf = (value: Value): number => {
  if (typeof value === 'string' || value instanceof Uint8Array) return 1 + textCost(value.length);
  if (value instanceof ListValue) {
    return value.items.reduce<number>((sum, item) => sum + weightOf(item), 1);
  }
  if (value instanceof MapValue) {
    let sum = 1;
    for (const [key, entry] of value.entries) sum += weightOf(key) + weightOf(entry);
    return sum;
  }
  return value instanceof StructValue ? jsonWeight(value.json) : 1;
};
