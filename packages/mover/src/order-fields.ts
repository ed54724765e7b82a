import { MoveError } from './errors.ts';

/** Readers of the fields of an order, which is input from outside. */

export type Json = { readonly [field: string]: unknown };

export const refuse = (what: string): never => {
  throw new MoveError('InvalidOrder', `the order is not valid: ${what}`);
};

export const fieldsOf = (value: unknown, at: string, knownFields: readonly string[]): Json => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse(`${at} must be an object`);
  }
  const unknown = Object.keys(value).find((field) => !knownFields.includes(field));
  if (unknown !== undefined) {
    return refuse(`${at} has no field "${unknown}"; it has ${knownFields.join(', ')}`);
  }
  return value as Json;
};

export const oneOf = <T extends string>(
  fields: Json,
  field: string,
  choices: readonly [T, ...T[]],
): T => {
  const value = fields[field] ?? choices[0];
  const matchingChoice = choices.find((choice) => choice === value);
  return matchingChoice ?? refuse(`${field} must be one of ${choices.join(', ')}`);
};

export const flagOf = (fields: Json, field: string, byDefault: boolean): boolean => {
  const value = fields[field] ?? byDefault;
  return typeof value === 'boolean' ? value : refuse(`${field} must be true or false`);
};

export const textOf = (value: unknown, at: string): string => {
  if (typeof value !== 'string') return refuse(`${at} must be text`);
  return value.includes('\0') ? refuse(`${at} must not hold a zero byte`) : value;
};

export const optionalText = (value: unknown, at: string): string | undefined =>
  value === undefined ? undefined : textOf(value, at);

export const numberOf = (
  fields: Json,
  field: string,
  { least, most, byDefault }: { least: number; most: number; byDefault: number },
): number => {
  const value = fields[field] ?? byDefault;
  return typeof value === 'number' && value >= least && value <= most
    ? value
    : refuse(`${field} must be a number from ${least} to ${most}`);
};

/** A text for each of some names. */
export const textsOf = (value: unknown, at: string): { readonly [name: string]: string } => {
  if (value === undefined) return {};
  const fields = fieldsOf(value, at, Object.keys(value ?? {}));
  return Object.fromEntries(
    Object.entries(fields).map(([name, text]) => [name, textOf(text, `${at}.${name}`)]),
  );
};
