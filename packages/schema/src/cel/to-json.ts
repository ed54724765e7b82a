import { base64Text } from '../bytes.ts';
import { exactInteger } from '../exact-json.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { CelFailure } from './failure.ts';
import { formatSeconds, formatTimestamp } from './library/time-text.ts';
import { isMessage } from './messages.ts';
import { typeText } from './types.ts';
import {
  Duration,
  ListValue,
  MapValue,
  StructValue,
  Timestamp,
  typeOf,
  Uint,
  type Value,
} from './values.ts';

const objectOf = (entries: Iterable<readonly [unknown, Value]>): JsonObject =>
  Object.fromEntries(
    Array.from(entries, ([key, value]) => {
      if (typeof key === 'string') return [key, toJson(value)];
      throw new CelFailure(`map key "${key}" is of type ${typeof key}, not string`);
    }),
  );

/** The JSON that a value of CEL stands for. Throws a `CelFailure` for what cannot be written in JSON. */
export const toJson = (value: Value): JsonValue => {
  if (typeof value === 'bigint') return exactInteger(value);
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof ListValue) return value.items.map(toJson);
  if (value instanceof MapValue) return objectOf(value.entries);
  if (value instanceof StructValue) return value.json;
  if (isMessage(value)) return objectOf(value.value);
  if (value instanceof Uint) return exactInteger(value.value);
  if (value instanceof Uint8Array) return base64Text(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatSeconds(value);
  throw new CelFailure(`a value of type ${typeText(typeOf(value))} cannot be written in JSON`);
};
