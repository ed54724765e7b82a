import { goQuote, goValue } from './go-text.ts';
import type { JsonValue } from './json.ts';

/** The kinds of problems of a field, as Kubernetes names them in a Status's causes. */
export type FieldErrorReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueNotFound'
  | 'FieldValueForbidden'
  | 'FieldValueTypeInvalid'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany';

/** One thing wrong with one field. */
export interface FieldError {
  readonly reason: FieldErrorReason;
  /** The path as Kubernetes writes it: `spec.tasks[0].name`, `spec.labels[a.b/c]`. */
  readonly field: string;
  /** The sentence after the path, such as `Required value` or `Invalid value: 0: must be positive`. */
  readonly message: string;
}

export const required = (field: string, detail = ''): FieldError => ({
  reason: 'FieldValueRequired',
  field,
  message: detail === '' ? 'Required value' : `Required value: ${detail}`,
});

export const invalid = (
  field: string,
  value: JsonValue | undefined,
  detail: string,
): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${goValue(value)}: ${detail}`,
});

/** A problem without its value, which is an object or a list. */
export const invalidWithoutValue = (field: string, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${detail}`,
});

export const typeInvalid = (field: string, value: string, detail: string): FieldError => ({
  reason: 'FieldValueTypeInvalid',
  field,
  message: `Invalid value: ${goQuote(value)}: ${detail}`,
});

export const notSupported = (
  field: string,
  value: JsonValue,
  supported: readonly string[],
): FieldError => ({
  reason: 'FieldValueNotSupported',
  field,
  message: `Unsupported value: ${goValue(value)}: supported values: ${supported.map(goQuote).join(', ')}`,
});

/** The value may be left out when it is an object or a list. */
export const duplicate = (field: string, value?: JsonValue): FieldError => ({
  reason: 'FieldValueDuplicate',
  field,
  message: value === undefined ? 'Duplicate value' : `Duplicate value: ${goValue(value)}`,
});

/** The value names something that is not there. */
export const missing = (field: string, value: JsonValue): FieldError => ({
  reason: 'FieldValueNotFound',
  field,
  message: `Not found: ${goValue(value)}`,
});

export const tooLong = (field: string, limit: number): FieldError => ({
  reason: 'FieldValueTooLong',
  field,
  message: `Too long: may not be more than ${limit} ${limit === 1 ? 'byte' : 'bytes'}`,
});

export const tooMany = (field: string, count: number, limit: number): FieldError => ({
  reason: 'FieldValueTooMany',
  field,
  message: `Too many: ${count}: must have at most ${limit} ${limit === 1 ? 'item' : 'items'}`,
});

export const forbidden = (field: string, detail: string): FieldError => ({
  reason: 'FieldValueForbidden',
  field,
  message: `Forbidden: ${detail}`,
});

/** The input cannot be an object of its kind; lists every reason. */
export class InvalidObjectError extends Error {
  readonly errors: readonly FieldError[];

  constructor(errors: readonly FieldError[]) {
    super(errors.map(({ field, message }) => `${field}: ${message}`).join('; '));
    this.name = 'InvalidObjectError';
    this.errors = errors;
  }
}

/** The text is not a value of its kind, such as a quantity, a selector, a time or a duration. */
export class ParseError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ParseError';
  }
}
