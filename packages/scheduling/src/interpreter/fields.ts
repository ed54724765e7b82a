import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';

/** The value at a field path, if present. */
const valueIn = (object: JsonObject, path: readonly string[]): JsonValue | undefined => {
  let value: JsonValue | undefined = object;
  for (const field of path) value = isJsonObject(value) ? value[field] : undefined;
  return value;
};

/** The object at a field path; empty if it is absent or not an object. */
export const objectIn = (object: JsonObject, ...path: readonly string[]): JsonObject => {
  const value = valueIn(object, path);
  return isJsonObject(value) ? value : {};
};

export const numberIn = (object: JsonObject, ...path: readonly string[]): number | undefined => {
  const value = valueIn(object, path);
  return typeof value === 'number' ? value : undefined;
};

export const textIn = (object: JsonObject, ...path: readonly string[]): string => {
  const value = valueIn(object, path);
  return typeof value === 'string' ? value : '';
};

/** The objects of a list; empty if absent. */
export const objectsIn = (
  object: JsonObject,
  ...path: readonly string[]
): readonly JsonObject[] => {
  const value = valueIn(object, path);
  return Array.isArray(value) ? value.filter((item) => isJsonObject(item)) : [];
};

/** A copy with one nested field set; missing parents are created. */
export const withField = (
  object: JsonObject,
  path: readonly string[],
  value: JsonValue | undefined,
): JsonObject => {
  const [field, ...rest] = path;
  if (field === undefined) return object;
  if (rest.length > 0) {
    return { ...object, [field]: withField(objectIn(object, field), rest, value) };
  }
  if (value !== undefined) return { ...object, [field]: value };
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== field));
};

/** The listed fields of an object, where present. */
export const pick = (object: JsonObject, fields: readonly string[]): JsonObject =>
  Object.fromEntries(
    fields.flatMap((field) => (object[field] === undefined ? [] : [[field, object[field]]])),
  );
