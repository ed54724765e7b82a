import { type FieldError, invalid, required } from '@perigee/schema/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { mapAt, numberAt, textAt } from '@perigee/schema/json-fields';
import { sameJson } from '@perigee/schema/same-json';
import {
  checkDnsLabel,
  checkDnsSubdomain,
  checkLabelValue,
  checkQualifiedName,
} from '@perigee/schema/values/names';

type Errors = readonly FieldError[];
type CheckText = (text: string) => readonly string[];

export const inRange = (least: number, most: number): string =>
  `must be between ${least} and ${most}, inclusive`;

export const isPort = (value: number): boolean => value >= 1 && value <= 65_535;

/** Fields that are numbers must not be below zero; absent ones are none. */
export const notNegative = (
  object: JsonObject,
  path: string,
  ...names: readonly string[]
): Errors =>
  names.flatMap((name) => {
    const value = numberAt(object, name);
    return value !== undefined && value < 0
      ? [invalid(`${path}.${name}`, value, 'must be greater than or equal to 0')]
      : [];
  });

/** A text that is there must pass the check. */
export const checkedText = (
  object: JsonObject,
  path: string,
  name: string,
  check: CheckText,
): Errors => {
  const text = textAt(object, name);
  return text === '' ? [] : check(text).map((problem) => invalid(`${path}.${name}`, text, problem));
};

export const dnsLabelAt = (object: JsonObject, path: string, name: string): Errors =>
  checkedText(object, path, name, checkDnsLabel);

export const dnsSubdomainAt = (object: JsonObject, path: string, name: string): Errors =>
  checkedText(object, path, name, checkDnsSubdomain);

/** A text that the schema requires may not be empty; that it is missing, the schema reports. */
export const notEmpty = (object: JsonObject, path: string, ...names: readonly string[]): Errors =>
  names.flatMap((name) => (object[name] === '' ? [required(`${path}.${name}`)] : []));

/** A text that the schema does not require, but the rules do. */
export const requireTexts = (
  object: JsonObject,
  path: string,
  ...names: readonly string[]
): Errors =>
  names.flatMap((name) => (textAt(object, name) === '' ? [required(`${path}.${name}`)] : []));

export const checkLabels = (object: JsonObject, name: string, field: string): Errors =>
  Object.entries(mapAt(object, name)).flatMap(([key, value]) => [
    ...checkQualifiedName(key).map((problem) => invalid(field, key, problem)),
    ...checkLabelValue(value).map((problem) => invalid(field, value, problem)),
  ]);

/** Error for a value that differs from the stored one. */
export const checkUnchanged = (
  value: JsonValue | undefined,
  old: JsonValue | undefined,
  field: string,
): Errors => (sameJson(value, old) ? [] : [invalid(field, value ?? null, 'field is immutable')]);

const PORT_NAME_PROBLEMS: readonly (readonly [isWrong: (name: string) => boolean, why: string])[] =
  [
    [(name) => name.length > 15, 'must be no more than 15 characters'],
    [
      (name) => !/^[-a-z0-9]+$/.test(name),
      'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
    ],
    [(name) => !/[a-z]/.test(name), 'must contain at least one letter (a-z)'],
    [(name) => name.includes('--'), 'must not contain consecutive hyphens'],
    [(name) => /^-|-$/.test(name), 'must not begin or end with a hyphen'],
  ];

export const checkPortName: CheckText = (name) =>
  PORT_NAME_PROBLEMS.filter(([isWrong]) => isWrong(name)).map(([, why]) => why);

/** A port by number or by name; absent ones count as zero. */
export const checkPort = (port: JsonValue | undefined, field: string): Errors => {
  if (typeof port === 'string') {
    return checkPortName(port).map((problem) => invalid(field, port, problem));
  }
  const number = typeof port === 'number' ? port : 0;
  return isPort(number) ? [] : [invalid(field, number, inRange(1, 65_535))];
};
