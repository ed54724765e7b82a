import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';

/** Applies a merge patch of this package: its values are complete, and null removes a field. */
const merge = (object: JsonObject, patch: JsonObject): JsonObject => {
  const result: { [key: string]: JsonValue | undefined } = { ...object };
  for (const [key, change] of Object.entries(patch)) {
    const oldValue = object[key];
    if (change === null) delete result[key];
    else if (change !== undefined) {
      result[key] =
        isJsonObject(oldValue) && isJsonObject(change) ? merge(oldValue, change) : change;
    }
  }
  return result;
};

/** The object after a patch of a decision. */
export const applyPatch = <T extends object>(object: T, patch: object): T =>
  merge(object as JsonObject, patch as JsonObject) as T;

const difference = (before: JsonObject, after: JsonObject): JsonObject => {
  const patch: { [key: string]: JsonValue } = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [oldValue, next] = [before[key], after[key]];
    if (next === undefined) patch[key] = null;
    else if (isJsonObject(oldValue) && isJsonObject(next)) {
      const inner = difference(oldValue, next);
      if (Object.keys(inner).length > 0) patch[key] = inner;
    } else if (oldValue === undefined || !sameJson(oldValue, next)) patch[key] = next;
  }
  return patch;
};

/** The merge patch between two versions of an object. */
export const patchBetween = (before: object, after: object): JsonObject =>
  difference(before as JsonObject, after as JsonObject);
