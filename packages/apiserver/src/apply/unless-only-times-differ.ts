import {
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { managedFieldsOf } from './managed-metadata.ts';

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

/** True if two objects have the same fields, save for one. */
const sameBut = (left: string, a: JsonObject, b: JsonObject): boolean => {
  for (const name in a) if (name !== left && !sameJson(a[name], b[name])) return false;
  for (const name in b) {
    if (name !== left && b[name] !== undefined && a[name] === undefined) return false;
  }
  return true;
};

const sameButOwners = (a: JsonObject, b: JsonObject): boolean => {
  if (!sameBut('metadata', a, b)) return false;
  const { metadata: mine } = a;
  const { metadata: theirs } = b;
  return isJsonObject(mine) && isJsonObject(theirs)
    ? sameBut('managedFields', mine, theirs)
    : sameJson(mine, theirs);
};

/**
 * The live object if the next one differs in the times of its owners alone. Otherwise every repeated apply would be
 * a change, and controllers that apply would never come to rest.
 */
export const unlessOnlyTimesDiffer = (live: JsonObject, next: JsonObject): JsonObject => {
  const [before, after] = [list(live), list(next)];
  const isSame =
    before.length === after.length &&
    sameButOwners(live, next) &&
    before.every((entry, index) => sameButTime(entry, after[index]));
  return isSame ? live : next;
};
