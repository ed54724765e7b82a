import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { type FieldError, InvalidObjectError } from '../../../src/errors.ts';
import type { JsonObject } from '../../../src/json.ts';
import { admit } from '../../../src/kind/admit.ts';
import type { Kind } from '../../../src/kind/define-kind.ts';

/**
 * The object that is stored when a user sends this YAML, over an object that is there already or not.
 * What is stored must be canonical: sent again, it changes nothing.
 */
export const store = (kind: Kind, yaml: string, old?: JsonObject): JsonObject => {
  const { object, unknownFields } = admit(kind, parse(yaml) as JsonObject, old ? { old } : {});
  assert.deepEqual(unknownFields, []);
  const again = admit(kind, object as unknown as JsonObject, { old: object });
  assert.deepEqual(again.object, object);
  return object as unknown as JsonObject;
};

export const storedSpec = (kind: Kind, yaml: string, old?: JsonObject): JsonObject =>
  store(kind, yaml, old).spec as JsonObject;

/** Follows on any error that keeps CEL rules from being evaluated. */
const NOT_CHECKED = /some validation rules were not checked/;

/** What is wrong with this YAML. */
const refusals = (kind: Kind, yaml: string, old?: JsonObject): readonly FieldError[] => {
  try {
    store(kind, yaml, old);
  } catch (error) {
    if (error instanceof InvalidObjectError) {
      return error.errors.filter(({ message }) => !NOT_CHECKED.test(message));
    }
    throw error;
  }
  return [];
};

/** Asserts that the YAML is refused for exactly one reason. */
export const assertRefused = (
  kind: Kind,
  yaml: string,
  expected: { readonly field: string; readonly message: RegExp },
  old?: JsonObject,
): void => {
  const errors = refusals(kind, yaml, old);
  assert.deepEqual(
    errors.map(({ field }) => field),
    [expected.field],
    JSON.stringify(errors),
  );
  assert.match(errors[0]?.message ?? '', expected.message);
};

/** YAML of an object with the given spec, which is written without indentation. */
export const withSpec = (head: string, spec: string): string =>
  `${head.trim()}\nspec:\n${spec.trim().replaceAll(/^/gm, '  ')}\n`;
