import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';

/** The object under a field, or nothing when something else is there. */
export const objectAt = (parent: JsonObject | undefined, field: string): JsonObject | undefined => {
  const child = parent?.[field];
  return isJsonObject(child) ? child : undefined;
};

/** The parent with one of its objects reshaped; the very same when that changes nothing. */
export const mapObject = (
  parent: JsonObject,
  field: string,
  reshape: (child: JsonObject) => JsonObject,
): JsonObject => {
  const child = objectAt(parent, field);
  const reshaped = child && reshape(child);
  return reshaped === child ? parent : { ...parent, [field]: reshaped };
};

/** The parent with the objects of one of its lists reshaped; the very same when that changes nothing. */
export const mapItems = (
  parent: JsonObject,
  field: string,
  reshape: (item: JsonObject, index: number) => JsonObject,
): JsonObject => {
  const items = parent[field];
  if (!Array.isArray(items)) return parent;
  const reshaped = items.map((item: JsonValue, index) =>
    isJsonObject(item) ? reshape(item, index) : item,
  );
  const isSame = reshaped.every((item, index) => item === items[index]);
  return isSame ? parent : { ...parent, [field]: reshaped };
};

/** The parent without one of its fields. */
export const without = (parent: JsonObject, field: string): JsonObject => {
  const { [field]: _, ...rest } = parent;
  return rest;
};

/** A part of an object, and the path of where it is. */
export type Located = readonly [part: JsonObject, at: string];

/** The objects of one of a part's lists; anything else in it is left to the schema. */
export const itemsAt = ([part, at]: Located, field: string): readonly Located[] => {
  const items: JsonValue | undefined = part[field];
  if (!Array.isArray(items)) return [];
  return items.flatMap((item, index) =>
    isJsonObject(item) ? [[item, `${at}.${field}[${index}]`] as const] : [],
  );
};
