import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { PatchError } from '../errors.ts';
import { type MutableObject, ownField, setField } from './own-field.ts';
import { withoutNulls } from './patch-directives.ts';

const mergeObjects = (document: JsonObject, patch: JsonObject): JsonObject => {
  let mergedObject: MutableObject | undefined;
  for (const key of Object.keys(patch)) {
    const change = patch[key];
    if (change === undefined) continue;
    const present = ownField(document, key);
    if (change === null) {
      if (!Object.hasOwn(document, key)) continue;
      mergedObject ??= { ...document };
      delete mergedObject[key];
      continue;
    }
    const value = mergeValues(present, change);
    if (value === present) continue;
    mergedObject ??= { ...document };
    setField(mergedObject, key, value);
  }
  return mergedObject ?? document;
};

const mergeValues = (present: JsonValue | undefined, change: JsonValue): JsonValue => {
  if (!isJsonObject(present)) return withoutNulls(change);
  return isJsonObject(change) ? mergeObjects(present, change) : change;
};

/** Applies a JSON merge patch (RFC 7386). Throws a `PatchError` when the patch is no object. */
export const applyMergePatch = (document: JsonObject, patch: JsonValue): JsonObject => {
  if (isJsonObject(patch)) return mergeObjects(document, patch);
  const message =
    patch === null
      ? 'Invalid JSON Patch'
      : `error decoding patch: json: cannot unmarshal ${Array.isArray(patch) ? 'array' : typeof patch} into Go value of type map[string]interface {}`;
  throw new PatchError(400, message);
};
