import { parseExactJson } from '@perigee/schema/exact-json';
import type { JsonValue } from '@perigee/schema/json';
import { MalformedBodyError } from '../../errors.ts';
import { DEEPEST } from './limits.ts';
import { scanJson } from './scan-json.ts';

export interface ParsedJson {
  readonly value: JsonValue;
  /** The paths of fields that are given more than once; the last one counts. */
  readonly duplicateFields: readonly string[];
}

/** An unpaired surrogate is no character; Go replaces it by the replacement character. */
const SURROGATE_ESCAPES = /\\[^u]|\\u[dD][89abAB]..(?:\\u[dD][c-fC-F]..)?|\\u[dD][c-fC-F]../g;
const PAIR_LENGTH = 12;
const replaceHalfPairs = (text: string): string =>
  text.replace(SURROGATE_ESCAPES, (sequence) =>
    sequence[1] === 'u' && sequence.length < PAIR_LENGTH ? '\\ufffd' : sequence,
  );

/** Not equal to any count: the text has to be scanned. */
const UNSURE = Number.NaN;

/** The number of fields in a value; `UNSURE` if it nests too deep or has numbers that may be inexact. */
const countFields = (value: JsonValue | undefined, levels: number): number => {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER ? UNSURE : 0;
  if (typeof value !== 'object' || value === null) return 0;
  if (levels === 0) return UNSURE;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) count += countFields(item, levels - 1);
    return count;
  }
  const object = value as { readonly [key: string]: JsonValue };
  for (const key in object) count += 1 + countFields(object[key], levels - 1);
  return count;
};

const BACKSLASH = 0x5c;
const endsInEscape = (text: string, end: number): boolean => {
  let start = end;
  while (text.charCodeAt(start - 1) === BACKSLASH) start -= 1;
  return (end - start) % 2 === 1;
};

const SPACED_COLON = /"[ \t\r\n]+:/;

/**
 * Number of fields in the text, or more if a string resembles one; `UNSURE` in the rare text with a space before
 * its colons.
 */
const countFieldEnds = (text: string): number => {
  if (SPACED_COLON.test(text)) return UNSURE;
  let count = 0;
  for (let quote = text.indexOf('":'); quote !== -1; quote = text.indexOf('":', quote + 2)) {
    if (!endsInEscape(text, quote)) count += 1;
  }
  return count;
};

/**
 * Parses JSON as kube-apiserver does. Throws `MalformedBodyError` with Go's message for invalid JSON or too much
 * nesting. A text without duplicates has as many fields as its value, which is cheap to count; only if the counts
 * differ, the text is scanned a second time.
 */
export const parseJson = (input: string | Buffer): ParsedJson => {
  const raw = typeof input === 'string' ? input : input.toString('utf8');
  const text = raw.includes('\\u') ? replaceHalfPairs(raw) : raw;
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (cause) {
    scanJson(text);
    throw new MalformedBodyError('syntax', 'invalid JSON', { cause });
  }
  if (countFields(value, DEEPEST) === countFieldEnds(text)) return { value, duplicateFields: [] };
  const duplicateFields = scanJson(text);
  return { value: parseExactJson(text), duplicateFields };
};
