import { ParseError } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { formatQuantity, parseQuantity } from '@perigee/schema/values/quantity-text';

type Value = JsonValue | undefined;

/** The parts of a pod whose values are amounts. */
const AMOUNTS = ['limits', 'requests', 'overhead'];

/** The parts of a pod that mean nothing when they are empty. Others do: an empty `emptyDir` is a volume. */
const MAY_BE_EMPTY = new Set([
  ...AMOUNTS,
  'annotations',
  'labels',
  'metadata',
  'nodeSelector',
  'resources',
]);

const amount = (value: Value): Value => {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  try {
    return formatQuantity(parseQuantity(value));
  } catch (error) {
    if (error instanceof ParseError) return value;
    throw error;
  }
};

const meaningOfField = (field: string, value: Value): Value => {
  if (value === null || (Array.isArray(value) && value.length === 0)) return undefined;
  if (!isJsonObject(value)) return meaningOf(value);
  const meaning = AMOUNTS.includes(field)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, amount(each)]))
    : meaningOf(value);
  return MAY_BE_EMPTY.has(field) && sameJson(meaning, {}) ? undefined : meaning;
};

const meaningOf = (value: Value): Value => {
  if (Array.isArray(value)) return value.map((item) => meaningOf(item) ?? null);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([field, child]) => [field, meaningOfField(field, child)] as const)
      .filter(([, child]) => child !== undefined),
  );
};

/**
 * The object with its old values of these fields wherever the new ones mean the same. A program in Go
 * that reads an object and writes it back adds `resources: {}` to containers, drops empty lists, and
 * writes `1` and `1000m` as `"1"`: for a field that must not change, that is no change.
 */
export const keepUnchanged = (
  next: JsonObject,
  old: JsonObject,
  fields: readonly string[],
): JsonObject => {
  const sameFields = fields.filter((field) =>
    sameJson(meaningOfField(field, next[field]), meaningOfField(field, old[field])),
  );
  const rest = Object.entries(next).filter(([field]) => !sameFields.includes(field));
  const storedFields = sameFields.filter((field) => old[field] !== undefined);
  return Object.fromEntries([
    ...rest,
    ...storedFields.map((field) => [field, old[field]] as const),
  ]);
};
