import { InvalidObjectError, invalidWithoutValue } from '../errors.ts';
import { isJsonObject, type JsonValue } from '../json.ts';

/** No sensible object nests so deep; code that walks values may recurse up to here without harm. */
const DEEPEST = 1_000;

const nestsDeeper = (value: JsonValue | undefined, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (!isJsonObject(value)) return value.some((item) => nestsDeeper(item, levels - 1));
  for (const key in value) if (nestsDeeper(value[key], levels - 1)) return true;
  return false;
};

/** Throws when a value nests deeper than its readers can follow. */
export const assertNotTooDeep = (value: JsonValue): void => {
  if (!nestsDeeper(value, DEEPEST)) return;
  const detail = `must not nest objects and lists deeper than ${DEEPEST} levels`;
  throw new InvalidObjectError([invalidWithoutValue('<nil>', detail)]);
};
