import assert from 'node:assert/strict';
import { type FieldError, InvalidObjectError } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { admit } from '../../src/kind/admit.ts';
import type { Kind } from '../../src/kind/define-kind.ts';

interface Stored extends JsonObject {
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  readonly status?: JsonObject;
}

/** The object that is stored when a user sends this one; all that is in it must be known. */
export const stored = (kind: Kind, input: object, old?: object): Stored => {
  const { object, unknownFields } = admit(
    kind,
    input as JsonObject,
    old ? { old: old as JsonObject } : {},
  );
  assert.deepEqual(unknownFields, []);
  return object as unknown as Stored;
};

/** Without the note that rules were not checked, which is about no field. */
const withoutNote = (errors: readonly FieldError[]): readonly FieldError[] =>
  errors.filter(({ field }) => field !== '<nil>');

const refusals = (kind: Kind, input: object, old?: object): readonly FieldError[] => {
  try {
    stored(kind, input, old);
  } catch (error) {
    if (!(error instanceof InvalidObjectError)) throw error;
    return withoutNote(error.errors);
  }
  return [];
};

/** Asserts that the object is refused for exactly one reason. */
export const assertRefused = (
  kind: Kind,
  input: object,
  expected: { readonly field: string; readonly message?: RegExp },
  old?: object,
): void => {
  const errors = refusals(kind, input, old);
  assert.deepEqual(
    errors.map(({ field }) => field),
    [expected.field],
    JSON.stringify(errors),
  );
  if (expected.message) assert.match(errors[0]?.message ?? '', expected.message);
};

/** The fields that are wrong and why; none when the object is admitted. */
export const refusedFields = (kind: Kind, input: object, old?: object): readonly string[] => {
  try {
    admit(kind, input, old === undefined ? {} : { old });
    return [];
  } catch (error) {
    if (error instanceof InvalidObjectError) {
      return withoutNote(error.errors).map(({ field, reason }) => `${field} ${reason}`);
    }
    throw error;
  }
};
