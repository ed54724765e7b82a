import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';

/** The value at a path of fields; undefined where the path ends early. */
export const at = (
  value: JsonValue | undefined,
  ...path: readonly string[]
): JsonValue | undefined => {
  let present = value;
  for (const name of path) {
    if (!isJsonObject(present)) return undefined;
    present = present[name];
  }
  return present;
};

/** The text at a path; empty where there is none. */
export const textAt = (value: JsonValue | undefined, ...path: readonly string[]): string => {
  const item = at(value, ...path);
  return typeof item === 'string' || typeof item === 'number' ? String(item) : '';
};

/** The number at a path; zero where there is none. */
export const countAt = (value: JsonValue | undefined, ...path: readonly string[]): number => {
  const item = at(value, ...path);
  return typeof item === 'number' ? item : 0;
};

/** The items at a path that are objects. */
export const listAt = (
  value: JsonValue | undefined,
  ...path: readonly string[]
): readonly JsonObject[] => {
  const items = at(value, ...path);
  return Array.isArray(items) ? (items as readonly JsonValue[]).filter(isJsonObject) : [];
};

/** The items at a path that are texts. */
export const textsAt = (
  value: JsonValue | undefined,
  ...path: readonly string[]
): readonly string[] => {
  const items = at(value, ...path);
  if (!Array.isArray(items)) return [];
  return (items as readonly JsonValue[]).filter((item) => typeof item === 'string');
};

/** Number of entries of the object at a path. */
export const sizeAt = (value: JsonValue | undefined, ...path: readonly string[]): number => {
  const object = at(value, ...path);
  return isJsonObject(object) ? Object.keys(object).length : 0;
};

/** True if a condition of this type is true. */
export const isConditionTrue = (object: JsonObject, type: string): boolean =>
  listAt(object, 'status', 'conditions').some(
    (condition) => condition.type === type && condition.status === 'True',
  );

export const isBeingDeleted = (object: JsonObject): boolean =>
  textAt(object, 'metadata', 'deletionTimestamp') !== '';

/** The first few of a list, and how many more there are. */
export const firstFew = (
  items: readonly string[],
  most: number,
  total: number,
  separator = ',',
): string => {
  const firstItems = items.slice(0, most).join(separator);
  return items.length > most ? `${firstItems} + ${total - most} more...` : firstItems;
};
