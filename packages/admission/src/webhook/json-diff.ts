import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';

/** One step of a JSON patch. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string };

const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** The JSON patch that makes one object the other. Lists are replaced as a whole. */
export const jsonDiff = (
  from: JsonObject,
  to: JsonObject,
  path = '',
): readonly PatchOperation[] => {
  const keys = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...keys].flatMap((key): readonly PatchOperation[] => {
    const [before, after] = [from[key], to[key]];
    const at = `${path}/${escapeKey(key)}`;
    if (after === undefined) return before === undefined ? [] : [{ op: 'remove', path: at }];
    if (before === undefined) return [{ op: 'add', path: at, value: after }];
    if (sameJson(before, after)) return [];
    return isJsonObject(before) && isJsonObject(after)
      ? jsonDiff(before, after, at)
      : [{ op: 'replace', path: at, value: after }];
  });
};
