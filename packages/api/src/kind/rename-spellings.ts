import { isDeepStrictEqual } from 'node:util';
import { type FieldError, InvalidObjectError, invalid } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { StructuralSchema } from '../schema/structural.ts';
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
      isDeepStrictEqual(present, value) ||
      isDeepStrictEqual(present, defaultValue) ||
      isDeepStrictEqual(present, old?.[canonical]);
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

/** Renames the other spellings of an object's fields; outer fields first, so that inner ones are found. */
export const renameSpellings = (
  input: JsonObject,
  old: JsonObject | undefined,
  schema: StructuralSchema,
  otherSpellings: { readonly [path: string]: readonly string[] },
): JsonObject => {
  const result = structuredClone(input);
  const errors: FieldError[] = [];
  const paths = Object.entries(otherSpellings).map(([path, others]) => ({
    steps: parseFieldPath(path),
    others,
  }));
  paths.sort((a, b) => a.steps.length - b.steps.length);
  for (const { steps, others } of paths) {
    const last = steps.at(-1);
    if (last === undefined || last === 'each') continue;
    const renaming = {
      canonical: last.field,
      others,
      defaultValue: defaultAt(schema, steps),
      errors,
    };
    walk(result, old, steps.slice(0, -1), '', renaming);
  }
  if (errors.length > 0) throw new InvalidObjectError(errors);
  return result;
};
