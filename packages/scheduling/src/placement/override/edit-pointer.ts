import { pointerWords } from '@perigee/api/values/identity-paths';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { OverrideError } from '../../errors.ts';

/** One operation of a JSON patch. */
export interface Edit {
  readonly operator: 'add' | 'remove' | 'replace';
  /** A JSON pointer, such as `/spec/replicas`. */
  readonly path: string;
  readonly value?: unknown;
}

const wordsOf = (path: string): readonly string[] => {
  if (path !== '' && !path.startsWith('/')) {
    throw new OverrideError(`the path ${path} does not begin with /`);
  }
  return pointerWords(path);
};

const isIndex = (word: string): boolean => /^(0|[1-9][0-9]*)$/.test(word);

const failMissing = (path: string): never => {
  throw new OverrideError(`there is nothing at ${path}`);
};

const editList = (list: readonly JsonValue[], word: string, edit: Edit): JsonValue => {
  const at = word === '-' && edit.operator === 'add' ? list.length : Number(word);
  const isThere = isIndex(word) && at < list.length;
  if (edit.operator === 'add' && (isThere || at === list.length)) {
    return list.toSpliced(at, 0, edit.value as JsonValue);
  }
  if (!isThere) return failMissing(edit.path);
  return edit.operator === 'remove'
    ? list.toSpliced(at, 1)
    : list.with(at, edit.value as JsonValue);
};

const editField = (object: JsonObject, word: string, edit: Edit): JsonValue => {
  if (edit.operator !== 'add' && !Object.hasOwn(object, word)) return failMissing(edit.path);
  const otherEntries = Object.entries(object).filter(([key]) => key !== word);
  return edit.operator === 'remove'
    ? Object.fromEntries(otherEntries)
    : { ...object, [word]: edit.value as JsonValue };
};

const editAt = (value: JsonValue, words: readonly string[], edit: Edit): JsonValue => {
  const [word = '', ...rest] = words;
  if (rest.length === 0) {
    if (Array.isArray(value)) return editList(value, word, edit);
    return isJsonObject(value) ? editField(value, word, edit) : failMissing(edit.path);
  }
  if (Array.isArray(value)) {
    const item: JsonValue | undefined = isIndex(word) ? value[Number(word)] : undefined;
    return item === undefined
      ? failMissing(edit.path)
      : value.with(Number(word), editAt(item, rest, edit));
  }
  if (!isJsonObject(value) || !Object.hasOwn(value, word)) return failMissing(edit.path);
  return { ...value, [word]: editAt(value[word] ?? null, rest, edit) };
};

/** The value at a JSON pointer, if present. */
export const readPointer = (value: JsonValue, path: string): JsonValue | undefined => {
  let target: JsonValue | undefined = value;
  for (const word of wordsOf(path)) {
    if (Array.isArray(target)) target = isIndex(word) ? target[Number(word)] : undefined;
    else target = isJsonObject(target) && Object.hasOwn(target, word) ? target[word] : undefined;
  }
  return target;
};

/** Applies one JSON Patch operation to a copy. */
export const editPointer = (value: JsonValue, edit: Edit): JsonValue => {
  const words = wordsOf(edit.path);
  if (words.length > 0) return editAt(value, words, edit);
  if (edit.operator === 'remove') throw new OverrideError('a whole document cannot be removed');
  return edit.value as JsonValue;
};
