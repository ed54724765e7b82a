import {
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '@perigee/schema/json';
import type { ValueType } from './value-type.ts';

export type ValueKind = 'map' | 'list' | 'scalar';

/**
 * The kind by which a value is treated. Null, an absent value and one of the wrong kind get the first kind that the
 * type allows, and an untyped null is therefore a map.
 */
export const kindOf = (value: JsonValue | undefined, type: ValueType): ValueKind => {
  if (Array.isArray(value)) {
    if (type.list !== undefined) return 'list';
  } else if (isJsonObject(value)) {
    if (type.map !== undefined) return 'map';
  } else if (value !== null && value !== undefined && type.scalar !== undefined) return 'scalar';
  if (type.map !== undefined) return 'map';
  return type.scalar === undefined ? 'list' : 'scalar';
};

export const asMap = (value: JsonValue | undefined): JsonObject | undefined =>
  isJsonObject(value) ? value : undefined;

export const asList = (value: JsonValue | undefined): JsonArray | undefined =>
  Array.isArray(value) ? value : undefined;

export const isEmptyMap = (map: JsonObject): boolean => {
  for (const key in map) if (map[key] !== undefined) return false;
  return true;
};
