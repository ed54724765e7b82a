import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../json.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** Finds the element of a list that has the same keys as the given one. */
export type ItemLookup = (item: JsonValue) => JsonValue | undefined;

const isScalar = (value: JsonValue | undefined): boolean =>
  value !== undefined && value !== null && typeof value !== 'object';

/** The keys of an element as one text; nothing when a key is missing or no scalar. */
export const keyTextOf = (item: JsonObject, keys: readonly string[]): string | undefined => {
  let text = '';
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : undefined;
    if (!isScalar(value)) return undefined;
    text += `${JSON.stringify(value)}\0`;
  }
  return text;
};

/** Lookup of elements by key, for a list that is a map; undefined for other lists. */
export const keyedItems = (
  schema: StructuralSchema,
): ((list: JsonArray) => ItemLookup) | undefined => {
  const { 'x-kubernetes-list-type': type, 'x-kubernetes-list-map-keys': keys = [] } = schema;
  if (schema.type !== 'array' || type !== 'map' || keys.length === 0) return undefined;
  return (list) => {
    let index: Map<string, JsonValue> | undefined;
    const indexed = (): Map<string, JsonValue> => {
      const itemByKey = new Map<string, JsonValue>();
      for (const item of list) {
        const text = isJsonObject(item) ? keyTextOf(item, keys) : undefined;
        if (text !== undefined && !itemByKey.has(text)) itemByKey.set(text, item);
      }
      return itemByKey;
    };
    return (item) => {
      const text = isJsonObject(item) ? keyTextOf(item, keys) : undefined;
      if (text === undefined) return undefined;
      index ??= indexed();
      return index.get(text);
    };
  };
};
