import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import type { Patch, PatchOperation } from '../../src/client/client.ts';
import { ApiError } from '../../src/errors.ts';

const refuse = (message: string): ApiError =>
  new ApiError({ status: 'Failure', code: 422, reason: 'Invalid', message });

/** JSON merge patch (RFC 7386). */
const mergePatch = (target: JsonValue | undefined, patch: JsonValue): JsonValue => {
  if (!isJsonObject(patch)) return patch;
  const result: Record<string, JsonValue | undefined> = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
};

const segments = (pointer: string): readonly string[] =>
  pointer === ''
    ? []
    : pointer
        .split('/')
        .slice(1)
        .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));

const at = (target: JsonValue | undefined, path: readonly string[]): JsonValue => {
  let value = target;
  for (const segment of path) {
    value = Array.isArray(value)
      ? value[Number(segment)]
      : isJsonObject(value)
        ? value[segment]
        : undefined;
  }
  if (value === undefined) throw refuse(`the path /${path.join('/')} does not exist`);
  return value;
};

type Change =
  | { readonly how: 'add' | 'replace'; readonly value: JsonValue }
  | { readonly how: 'remove' };

const changeInList = (list: readonly JsonValue[], segment: string, change: Change): JsonValue => {
  const index = segment === '-' ? list.length : Number(segment);
  const end = change.how === 'add' ? list.length : list.length - 1;
  if (!(Number.isInteger(index) && index >= 0 && index <= end)) {
    throw refuse(`the index ${segment} is not within the list`);
  }
  if (change.how === 'remove') return list.toSpliced(index, 1);
  return list.toSpliced(index, change.how === 'add' ? 0 : 1, change.value);
};

const changeAt = (target: JsonValue, path: readonly string[], change: Change): JsonValue => {
  const [segment, ...rest] = path;
  if (segment === undefined) return change.how === 'remove' ? null : change.value;
  if (rest.length > 0) {
    const child = changeAt(at(target, [segment]), rest, change);
    return Array.isArray(target)
      ? target.with(Number(segment), child)
      : { ...(target as JsonObject), [segment]: child };
  }
  if (Array.isArray(target)) return changeInList(target, segment, change);
  if (!isJsonObject(target)) throw refuse(`the path to ${segment} does not exist`);
  if (change.how !== 'add') at(target, [segment]);
  const { [segment]: _, ...others } = target;
  return change.how === 'remove' ? others : { ...others, [segment]: change.value };
};

const applyOperation = (target: JsonValue, operation: PatchOperation): JsonValue => {
  const path = segments(operation.path);
  switch (operation.op) {
    case 'add':
    case 'replace':
      return changeAt(target, path, { how: operation.op, value: operation.value as JsonValue });
    case 'remove':
      return changeAt(target, path, { how: 'remove' });
    case 'test':
      if (sameJson(at(target, path), operation.value)) return target;
      throw refuse(`testing path ${operation.path} value failed`);
    case 'copy':
      return changeAt(target, path, { how: 'add', value: at(target, segments(operation.from)) });
    case 'move': {
      const from = segments(operation.from);
      const value = at(target, from);
      return changeAt(changeAt(target, from, { how: 'remove' }), path, { how: 'add', value });
    }
  }
};

/** The object after the patch. Strategic merge and apply are plain merges here. */
export const applyPatch = (target: JsonValue, patch: Patch): JsonValue =>
  patch.type === 'json'
    ? patch.operations.reduce(applyOperation, target)
    : mergePatch(target, patch.body as JsonObject);
