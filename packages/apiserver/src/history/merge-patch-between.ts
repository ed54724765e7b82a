import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';

/** The JSON merge patch (RFC 7396) that makes the second object of the first. Lists change as a whole. */
export const mergePatchBetween = (before: JsonObject, after: JsonObject): JsonObject => {
  const patch: { [name: string]: JsonValue } = {};
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) patch[name] = null;
  for (const [name, value] of Object.entries(after)) {
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    if (value === undefined || sameJson(old, value)) continue;
    patch[name] = isJsonObject(old) && isJsonObject(value) ? mergePatchBetween(old, value) : value;
  }
  return patch;
};
