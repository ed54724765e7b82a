import { isJsonObject } from './json.ts';

/**
 * True if two JSON values are equal; a field that is undefined counts as absent. Their types are those of the kinds,
 * so the compiler cannot see that they are JSON: dates, maps and the like have no fields, and would all be equal.
 */
export const sameJson = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  let surplus = 0;
  for (const key of Object.keys(b)) if (b[key] !== undefined) surplus++;
  for (const key of Object.keys(a)) {
    if (a[key] === undefined) continue;
    surplus--;
    if (!Object.hasOwn(b, key) || !sameJson(a[key], b[key])) return false;
  }
  return surplus === 0;
};
