import { type FieldError, InvalidObjectError, invalid } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { compileDecoder, type Decoder } from '@perigee/schema/structural/decode';
import { assertNotTooDeep } from '@perigee/schema/structural/depth';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { compileValidator, type Validator } from '@perigee/schema/validate/validate';
import type { KubeObject } from '../meta/object-meta.ts';
import { apiVersionOf } from '../meta/resource-kind.ts';
import type { Kind } from './define-kind.ts';
import { normalise } from './normalise.ts';

export interface Admitted<S> {
  /** The object in its canonical form. Its metadata are as they were sent. */
  readonly object: S;
  /** The paths of fields that the kind does not have; the object is without them. */
  readonly unknownFields: readonly string[];
}

interface Compiled {
  readonly decode: Decoder;
  readonly validate: Validator;
}

const compiled = new WeakMap<StructuralSchema, Compiled>();

const compile = (schema: StructuralSchema): Compiled => {
  const cachedCode = compiled.get(schema);
  if (cachedCode !== undefined) return cachedCode;
  const fresh = { decode: compileDecoder(schema), validate: compileValidator(schema) };
  compiled.set(schema, fresh);
  return fresh;
};

/** The object with its type, which may be left out; throws when it is that of another kind. */
const withType = (kind: Kind, input: JsonObject): JsonObject => {
  const apiVersion = apiVersionOf(kind);
  const errors: FieldError[] = [];
  if (input.kind !== undefined && input.kind !== kind.kind) {
    errors.push(invalid('kind', input.kind, `must be ${kind.kind}`));
  }
  if (input.apiVersion !== undefined && input.apiVersion !== apiVersion) {
    errors.push(invalid('apiVersion', input.apiVersion, `must be ${apiVersion}`));
  }
  if (errors.length > 0) throw new InvalidObjectError(errors);
  return input.apiVersion === undefined || input.kind === undefined
    ? { ...input, apiVersion, kind: kind.kind }
    : input;
};

/**
 * Turns what a user sent into the object that is stored: renames other spellings, drops unknown fields,
 * fills in defaults, and checks the result, on an update also against the object as it was. Pure.
 * Throws `InvalidObjectError` with everything that is wrong.
 */
export const admit = <S extends KubeObject, W>(
  kind: Kind<S, W>,
  input: object,
  options: { readonly old?: object } = {},
): Admitted<S> => {
  const { decode, validate } = compile(kind.schema);
  const object = input as JsonObject;
  assertNotTooDeep(object);
  const old = options.old && decode(options.old as JsonObject).value;
  const { value, unknownFields } = decode(normalise(kind, withType(kind, object), old));
  const errors = validate(value, old);
  if (errors.length > 0) throw new InvalidObjectError(errors);
  return { object: value as unknown as S, unknownFields };
};
