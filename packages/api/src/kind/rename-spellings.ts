import { type FieldError, InvalidObjectError, invalid } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { type PathStep, parseFieldPath } from './field-path.ts';

type MutableObject = { [key: string]: JsonValue | undefined };

interface Renaming {
  readonly canonical: string;
  readonly others: readonly string[];
  readonly defaultValue: JsonValue | undefined;
  readonly errors: FieldError[];
}

/**
 * A user who writes another spelling means it, even over a canonical value that came from the
 * schema's default or from the object as stored. Only two spellings written at once can clash.
 */
const renameIn = (
  parent: MutableObject,
  old: JsonObject | undefined,
  at: string,
  renaming: Renaming,
): void => {
  const { canonical, others, defaultValue, errors } = renaming;
  for (const other of others) {
    const value = parent[other];
    if (value === undefined) continue;
    delete parent[other];
    const present = parent[canonical];
    const mayReplace =
      present === undefined ||
      sameJson(present, value) ||
      sameJson(present, defaultValue) ||
      sameJson(present, old?.[canonical]);
    if (mayReplace) parent[canonical] = value;
    else {
      errors.push(
        invalid(
          `${at}.${other}`,
          value,
          `is another spelling of ${canonical}, which is set to something else; keep one`,
        ),
      );
    }
  }
};

const walk = (
  value: JsonValue | undefined,
  old: JsonValue | undefined,
  steps: readonly PathStep[],
  at: string,
  renaming: Renaming,
): void => {
  const [step, ...rest] = steps;
  if (step === 'each') {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries()) {
      walk(item, undefined, rest, `${at}[${index}]`, renaming);
    }
    return;
  }
  if (!isJsonObject(value)) return;
  const oldObject = isJsonObject(old) ? old : undefined;
  if (step === undefined) renameIn(value as MutableObject, oldObject, at, renaming);
  else {
    const path = at === '' ? step.field : `${at}.${step.field}`;
    walk(value[step.field], oldObject?.[step.field], rest, path, renaming);
  }
};

const defaultAt = (
  schema: StructuralSchema | undefined,
  steps: readonly PathStep[],
): JsonValue | undefined => {
  const [step, ...rest] = steps;
  if (step === undefined) return schema?.default;
  return defaultAt(step === 'each' ? schema?.items : schema?.properties?.[step.field], rest);
};

interface Plan extends Omit<Renaming, 'errors'> {
  /** The path to the object that has the field. */
  readonly steps: readonly PathStep[];
}

const plans = new WeakMap<StructuralSchema, readonly Plan[]>();

/** Renames for objects of a schema; outer fields first, so that inner ones are at the canonical path. */
const plansOf = (
  schema: StructuralSchema,
  otherSpellings: { readonly [path: string]: readonly string[] },
): readonly Plan[] => {
  const cachedPlans = plans.get(schema);
  if (cachedPlans !== undefined) return cachedPlans;
  const schemaPlans = Object.entries(otherSpellings)
    .map(([path, others]) => ({ steps: parseFieldPath(path), others }))
    .sort((a, b) => a.steps.length - b.steps.length)
    .flatMap(({ steps, others }): readonly Plan[] => {
      const last = steps.at(-1);
      if (last === undefined || last === 'each') return [];
      const defaultValue = defaultAt(schema, steps);
      return [{ steps: steps.slice(0, -1), canonical: last.field, others, defaultValue }];
    });
  plans.set(schema, schemaPlans);
  return schemaPlans;
};

/** True if a field is there in another spelling. */
const isUsed = (
  value: JsonValue | undefined,
  steps: readonly PathStep[],
  others: readonly string[],
  from = 0,
): boolean => {
  const step = steps[from];
  if (step === 'each') {
    return Array.isArray(value) && value.some((item) => isUsed(item, steps, others, from + 1));
  }
  if (!isJsonObject(value)) return false;
  return step === undefined
    ? others.some((name) => Object.hasOwn(value, name))
    : isUsed(value[step.field], steps, others, from + 1);
};

/** Renames the other spellings of an object's fields; the very same object when there are none. */
export const renameSpellings = (
  input: JsonObject,
  old: JsonObject | undefined,
  schema: StructuralSchema,
  otherSpellings: { readonly [path: string]: readonly string[] },
): JsonObject => {
  const renamings = plansOf(schema, otherSpellings);
  if (!renamings.some(({ steps, others }) => isUsed(input, steps, others))) return input;
  const result = structuredClone(input);
  const errors: FieldError[] = [];
  for (const { steps, ...renaming } of renamings) {
    walk(result, old, steps, '', { ...renaming, errors });
  }
  if (errors.length > 0) throw new InvalidObjectError(errors);
  return result;
};
