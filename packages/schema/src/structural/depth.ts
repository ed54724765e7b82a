import { InvalidObjectError, invalidWithoutValue } from '../errors.ts';
import type { JsonValue } from '../json.ts';

/** No sensible object nests so deep; code that walks values may recurse up to here without harm. */
const DEEPEST = 1_000;

/** It runs for every object that is read, so it is written for speed. */
const nestsDeeper = (value: JsonValue | undefined, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const parts = Array.isArray(value) ? value : Object.values(value);
  for (let at = 0; at < parts.length; at += 1) if (nestsDeeper(parts[at], levels - 1)) return true;
  return false;
};

const tooDeep = (): InvalidObjectError => {
  const detail = `must not nest objects and lists deeper than ${DEEPEST} levels`;
  return new InvalidObjectError([invalidWithoutValue('<nil>', detail)]);
};

/** Throws when a walk that is in so many objects and lists may not enter another. */
export const assertWithinDepth = (depth: number): void => {
  if (depth >= DEEPEST) throw tooDeep();
};

/** Throws when a value nests deeper than its readers can follow; `above` it are so many levels already. */
export const assertNotTooDeep = (value: JsonValue, above = 0): void => {
  if (nestsDeeper(value, DEEPEST - above)) throw tooDeep();
};
