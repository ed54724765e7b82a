import { isJsonObject } from '@perigee/schema/json';
import type { WordsField } from '../work/words.ts';
import type { Draft } from './draft.ts';

const fieldPath = (field: WordsField): string => `/metadata/${field}`;

/** The JSON pointer of a label or annotation. */
export const wordPath = (field: WordsField, key: string): string =>
  `${fieldPath(field)}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Adds or replaces labels or annotations. */
export const addWords = (
  draft: Draft,
  field: WordsField,
  entries: readonly (readonly [key: string, value: unknown])[],
): void => {
  if (entries.length === 0) return;
  for (const path of ['/metadata', fieldPath(field)]) {
    if (!isJsonObject(draft.read(path))) draft.edit({ operator: 'add', path, value: {} });
  }
  for (const [key, value] of entries) {
    draft.edit({ operator: 'add', path: wordPath(field, key), value });
  }
};
