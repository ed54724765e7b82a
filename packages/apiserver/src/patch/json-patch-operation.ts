import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { PatchError } from '../errors.ts';
import { ownField } from './own-field.ts';

const MAX_OPERATIONS = 10_000;

/** One operation of a JSON patch. Its shape is valid; required members are checked when it runs. */
export interface JsonPatchOperation {
  readonly op: string;
  readonly path: string | undefined;
  readonly from: string | undefined;
  /** Null when it is absent. */
  readonly value: JsonValue;
}

const jsonKind = (value: JsonValue): string => {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return value === null ? 'null' : typeof value;
};

const malformedError = (value: JsonValue, target: string): PatchError =>
  new PatchError(
    400,
    `error decoding patch: json: cannot unmarshal ${jsonKind(value)} into Go ${target}`,
  );

const textField = (operation: JsonObject, name: string): string | undefined => {
  const value = ownField(operation, name) ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw malformedError(value, `struct field jsonPatchOp.${name} of type string`);
};

const parseOperation = (operation: JsonValue): JsonPatchOperation => {
  if (!isJsonObject(operation))
    throw malformedError(operation, 'value of type handlers.jsonPatchOp');
  return {
    op: textField(operation, 'op') ?? 'unknown',
    path: textField(operation, 'path'),
    from: textField(operation, 'from'),
    value: ownField(operation, 'value') ?? null,
  };
};

/** Reads a JSON patch; throws a `PatchError` in the words of kube-apiserver when it is none. */
export const parseJsonPatch = (patch: JsonValue): readonly JsonPatchOperation[] => {
  if (!Array.isArray(patch)) throw malformedError(patch, 'value of type []handlers.jsonPatchOp');
  if (patch.length > MAX_OPERATIONS) {
    throw new PatchError(
      413,
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`,
    );
  }
  return patch.map(parseOperation);
};
