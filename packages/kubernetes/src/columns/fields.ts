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
  const found = at(value, ...path);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
};

/** The number at a path; zero where there is none. */
export const countAt = (value: JsonValue | undefined, ...path: readonly string[]): number => {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : 0;
};

/** The items at a path that are objects. */
export const listAt = (
  value: JsonValue | undefined,
  ...path: readonly string[]
): readonly JsonObject[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? (found as readonly JsonValue[]).filter(isJsonObject) : [];
};

/** The items at a path that are texts. */
export const textsAt = (
  value: JsonValue | undefined,
  ...path: readonly string[]
): readonly string[] => {
  const found = at(value, ...path);
  if (!Array.isArray(found)) return [];
  return (found as readonly JsonValue[]).filter((item) => typeof item === 'string');
};

/** Number of entries of the object at a path. */
export const sizeAt = (value: JsonValue | undefined, ...path: readonly string[]): number => {
  const found = at(value, ...path);
  return isJsonObject(found) ? Object.keys(found).length : 0;
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
  const shown = items.slice(0, most).join(separator);
  return items.length > most ? `${shown} + ${total - most} more...` : shown;
};
