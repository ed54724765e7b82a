import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';

/** The object in a field; an empty one if the field holds no object. */
export const objectAt = (object: JsonObject, ...path: readonly string[]): JsonObject => {
  let inner = object;
  for (const name of path) {
    const value = inner[name];
    if (!isJsonObject(value)) return {};
    inner = value;
  }
  return inner;
};

/** The objects of the list in a field; none if there is no such list. */
export const objectsAt = (object: JsonObject, name: string): readonly JsonObject[] => {
  const list = object[name];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
};

export const textsAt = (object: JsonObject, name: string): readonly string[] => {
  const list = object[name];
  return Array.isArray(list) ? list.filter((value) => typeof value === 'string') : [];
};

export const textAt = (object: JsonObject, name: string): string => {
  const value = object[name];
  return typeof value === 'string' ? value : '';
};

/** A number, if need be rounded: none that says how many or how long has more than 15 digits. */
export const numberAt = (object: JsonObject, name: string): number | undefined => {
  const value = object[name];
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
};

type Texts = { readonly [key: string]: string };

const isTexts = (map: JsonObject): map is Texts => {
  for (const key in map) if (typeof map[key] !== 'string') return false;
  return true;
};

/** The texts of a map, such as labels. */
export const mapAt = (object: JsonObject, ...path: readonly string[]): Texts => {
  const map = objectAt(object, ...path);
  if (isTexts(map)) return map;
  return Object.fromEntries(
    Object.entries(map).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
};

/** Go cannot tell an empty text from none; where no text belongs, it is for the schema to refuse. */
const isMissing = (value: JsonValue | undefined, instead: JsonValue | undefined): boolean =>
  value === undefined || value === null || (value === '' && typeof instead === 'string');

/** The object with these values where it has none; the very same one when it lacks nothing. */
export const filled = (object: JsonObject, values: JsonObject): JsonObject => {
  const absentFields = Object.entries(values).filter(
    ([name, value]) => value !== undefined && isMissing(object[name], value),
  );
  return absentFields.length === 0 ? object : { ...object, ...Object.fromEntries(absentFields) };
};

/** The object with another value in a field; none takes the field away. */
export const withField = (
  object: JsonObject,
  name: string,
  value: JsonValue | undefined,
): JsonObject => {
  if (object[name] === value) return object;
  const { [name]: _, ...rest } = object;
  return value === undefined ? rest : { ...rest, [name]: value };
};

/** The object with the object in a field changed, if there is one. */
export const changedAt = (
  object: JsonObject,
  name: string,
  change: (inner: JsonObject) => JsonObject,
): JsonObject => {
  const inner = object[name];
  return isJsonObject(inner) ? withField(object, name, change(inner)) : object;
};

/** The object with every object of a list changed. */
export const changedItems = (
  object: JsonObject,
  name: string,
  change: (item: JsonObject) => JsonObject,
): JsonObject => {
  const list = object[name];
  if (!Array.isArray(list)) return object;
  const items = list.map((item) => (isJsonObject(item) ? change(item) : item));
  return items.every((item, index) => item === list[index])
    ? object
    : withField(object, name, items);
};
