import type { JsonValue } from './json.ts';

/** The ways in which a field can be wrong, as Kubernetes names them in a Status's causes. */
export type FieldErrorReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
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
  message: `Invalid value: ${JSON.stringify(value ?? null)}: ${detail}`,
});

export const forbidden = (field: string, detail: string): FieldError => ({
  reason: 'FieldValueForbidden',
  field,
  message: `Forbidden: ${detail}`,
});

/** The input cannot be an object of its kind; says every reason found. */
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
