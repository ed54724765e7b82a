import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';

/** Applies a merge patch of this package: its values are complete, and null removes a field. */
const merge = (object: JsonObject, patch: JsonObject): JsonObject => {
  const merged: { [key: string]: JsonValue | undefined } = { ...object };
  for (const [key, change] of Object.entries(patch)) {
    const present = object[key];
    if (change === null) delete merged[key];
    else if (change !== undefined) {
      merged[key] = isJsonObject(present) && isJsonObject(change) ? merge(present, change) : change;
    }
  }
  return merged;
};

/** An object after a patch that a decision made. */
export const patched = <T extends object>(object: T, patch: object): T =>
  merge(object as JsonObject, patch as JsonObject) as T;
