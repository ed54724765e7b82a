import type { JsonObject } from '@perigee/schema/json';
import { objectIn, withField } from '../../interpreter/fields.ts';

/** Labels or annotations. */
export type Words = { readonly [key: string]: string };
export type WordsField = 'labels' | 'annotations';

/** The labels or annotations of an object; empty if absent. */
export const wordsOf = (object: JsonObject, field: WordsField): Words =>
  objectIn(object, 'metadata', field) as Words;

/** A copy of the object with labels or annotations added or replaced. */
export const withWords = (object: JsonObject, field: WordsField, words: Words): JsonObject =>
  withField(object, ['metadata', field], { ...wordsOf(object, field), ...words });

/** A copy without some keys. */
export const omitWords = (words: Words, names: ReadonlySet<string>): Words =>
  Object.fromEntries(Object.entries(words).filter(([key]) => !names.has(key)));

/** A copy of the object without some labels or annotations. */
export const withoutWords = (
  object: JsonObject,
  field: WordsField,
  names: readonly string[],
): JsonObject => {
  const words = wordsOf(object, field);
  if (!names.some((key) => key in words)) return object;
  return withField(object, ['metadata', field], omitWords(words, new Set(names)));
};
