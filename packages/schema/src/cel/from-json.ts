import { base64Bytes } from '../bytes.ts';
import { isDate, isDateTime } from '../formats/date-format.ts';
import { durationNanos } from '../formats/duration-format.ts';
import { isJsonObject, type JsonArray, type JsonValue } from '../json.ts';
import { parseTime } from '../values/time.ts';
import { CelFailure } from './failure.ts';
import type { CelType } from './types.ts';
import {
  Duration,
  ListValue,
  type MapKey,
  MapValue,
  StructValue,
  Timestamp,
  type Value,
} from './values.ts';

const wrong = (expected: string, json: JsonValue): CelFailure =>
  new CelFailure(`invalid data, expected ${expected}, got ${json === null ? 'null' : typeof json}`);

const toInt = (json: JsonValue): bigint => {
  if (typeof json === 'bigint') return json;
  if (typeof json === 'number' && Number.isInteger(json)) return BigInt(json);
  throw wrong('int', json);
};

const toTimestamp = (json: JsonValue): Timestamp => {
  if (typeof json !== 'string') throw wrong('string', json);
  const text = isDate(json) ? `${json}T00:00:00Z` : json;
  if (!isDateTime(text)) throw new CelFailure(`Invalid date-time formatted string ${json}`);
  const micros = Math.round(parseTime(text.toUpperCase()) * 1000);
  return new Timestamp(BigInt(micros) * 1000n);
};

const toDuration = (json: JsonValue): Duration => {
  if (typeof json !== 'string') throw wrong('string', json);
  const nanos = durationNanos(json);
  if (nanos === undefined) throw new CelFailure(`Invalid duration ${json}`);
  return new Duration(nanos);
};

const listItems = (list: JsonArray, type: CelType): Value[] =>
  list.map((item) => toValue(item, type));

/** A value whose type is known only now: a whole number or a string, where a schema takes either. */
const toDynamic = (json: JsonValue): Value => {
  if (typeof json === 'string' || typeof json === 'bigint') return json;
  if (typeof json === 'number' && Number.isInteger(json)) return BigInt(json);
  throw new CelFailure(
    'invalid data, expected XIntOrString value to be either a string or integer',
  );
};

/** The CEL value of JSON that has the given type. */
export const toValue = (json: JsonValue, type: CelType): Value => {
  if (json === null) return null;
  switch (type.kind) {
    case 'int':
      return toInt(json);
    case 'double':
      if (typeof json === 'number' || typeof json === 'bigint') return Number(json);
      throw wrong('float', json);
    case 'string':
      if (typeof json === 'string') return json;
      throw wrong('string', json);
    case 'bool':
      if (typeof json === 'boolean') return json;
      throw wrong('bool', json);
    case 'bytes':
      if (typeof json === 'string') return base64Bytes(json);
      throw wrong('string', json);
    case 'timestamp':
      return toTimestamp(json);
    case 'duration':
      return toDuration(json);
    case 'list':
      if (!Array.isArray(json)) throw wrong('an array', json);
      return new ListValue(listItems(json, type.item), type.identity);
    case 'map': {
      if (!isJsonObject(json)) throw wrong('a map', json);
      const entries = new Map<MapKey, Value>();
      for (const [key, value] of Object.entries(json)) {
        if (value !== undefined) entries.set(key, toValue(value, type.value));
      }
      return new MapValue(entries);
    }
    case 'object':
      if (!isJsonObject(json)) throw wrong('a map', json);
      return new StructValue(json, type, toValue);
    default:
      return toDynamic(json);
  }
};
