import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '@perigee/api/json';
import { sameJson } from '@perigee/api/schema/validate/same-json';
import { managedFieldsOf, withoutManagedFields } from './managed-metadata.ts';

const sameButTime = (a: JsonValue | undefined, b: JsonValue | undefined): boolean => {
  if (!isJsonObject(a) || !isJsonObject(b)) return sameJson(a, b);
  const { time: _a, ...mine } = a;
  const { time: _b, ...theirs } = b;
  return sameJson(mine, theirs);
};

const list = (object: JsonObject): JsonArray => {
  const entries = managedFieldsOf(object);
  return Array.isArray(entries) ? entries : [];
};

/**
 * The live object when the next one says nothing new but the times of its owners. Without this every
 * repeated apply would be a change, and controllers that apply would never come to rest.
 */
export const unlessOnlyTimesDiffer = (live: JsonObject, next: JsonObject): JsonObject => {
  const [before, after] = [list(live), list(next)];
  const isSame =
    before.length === after.length &&
    sameJson(withoutManagedFields(live), withoutManagedFields(next)) &&
    before.every((entry, index) => sameButTime(entry, after[index]));
  return isSame ? live : next;
};
