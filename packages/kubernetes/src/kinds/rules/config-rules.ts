import { type FieldError, forbidden, invalid, required, tooLong } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { mapAt } from '@perigee/schema/json-fields';
import { sameJson } from '@perigee/schema/same-json';
import { checkUnchanged } from './checks.ts';
import type { KindRule, KindRules } from './kind-rule.ts';

type Errors = readonly FieldError[];

const MOST_BYTES = 1024 * 1024;

const checkKey = (key: string): readonly string[] => {
  const problems: string[] = [];
  if (key.length > 253) problems.push('must be no more than 253 characters');
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    problems.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  }
  if (key === '.') problems.push("must not be '.'");
  else if (key === '..') problems.push("must not be '..'");
  else if (key.startsWith('..')) problems.push("must not start with '..'");
  return problems;
};

const checkKeys = (object: JsonObject, field: string): Errors =>
  Object.keys(mapAt(object, field)).flatMap((key) =>
    checkKey(key).map((problem) => invalid(`${field}[${key}]`, key, problem)),
  );

const bytesIn = (map: { readonly [key: string]: string }, encoding: BufferEncoding): number =>
  Object.values(map).reduce((bytes, text) => bytes + Buffer.byteLength(text, encoding), 0);

/** Immutable data cannot change, nor can `immutable` be taken back. */
const checkLasting = (
  object: JsonObject,
  old: JsonObject | undefined,
  ...fields: readonly string[]
): Errors => {
  if (old?.immutable !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  return [
    ...(object.immutable === true ? [] : [forbidden('immutable', detail)]),
    ...fields
      .filter((field) => !sameJson(object[field], old[field]))
      .map((field) => forbidden(field, detail)),
  ];
};

const configMap: KindRule = (object, old) => {
  const data = mapAt(object, 'data');
  const binary = mapAt(object, 'binaryData');
  const bytes = bytesIn(data, 'utf8') + bytesIn(binary, 'base64');
  return [
    ...checkLasting(object, old, 'data', 'binaryData'),
    ...checkKeys(object, 'data'),
    ...checkKeys(object, 'binaryData'),
    ...Object.keys(data)
      .filter((key) => Object.hasOwn(binary, key))
      .map((key) => invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...(bytes > MOST_BYTES ? [tooLong('', MOST_BYTES)] : []),
  ];
};

const isJsonMap = (encoded: string): boolean => {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, 'base64').toString());
    return typeof value === 'object' && !Array.isArray(value);
  } catch {
    return false;
  }
};

const checkDockerConfig = (data: { readonly [key: string]: string }, key: string): Errors => {
  const value = data[key];
  if (value === undefined) return [required(`data[${key}]`)];
  return isJsonMap(value)
    ? []
    : [invalid(`data[${key}]`, '<secret contents redacted>', 'unexpected end of JSON input')];
};

/** Some types of secrets promise what is in them. */
const checkContents = (object: JsonObject): Errors => {
  const data = mapAt(object, 'data');
  const lacking = (...keys: readonly string[]): Errors =>
    keys.filter((key) => data[key] === undefined).map((key) => required(`data[${key}]`));
  switch (object.type) {
    case 'kubernetes.io/service-account-token': {
      const key = 'kubernetes.io/service-account.name';
      return mapAt(object, 'metadata', 'annotations')[key]
        ? []
        : [required(`metadata.annotations[${key}]`)];
    }
    case 'kubernetes.io/dockercfg':
      return checkDockerConfig(data, '.dockercfg');
    case 'kubernetes.io/dockerconfigjson':
      return checkDockerConfig(data, '.dockerconfigjson');
    case 'kubernetes.io/basic-auth': {
      const errors = lacking('username', 'password');
      return errors.length === 2 ? errors : [];
    }
    case 'kubernetes.io/ssh-auth':
      return data['ssh-privatekey'] ? [] : [required('data[ssh-privatekey]')];
    case 'kubernetes.io/tls':
      return lacking('tls.crt', 'tls.key');
    default:
      return [];
  }
};

const secret: KindRule = (object, old) => [
  ...(old === undefined ? [] : checkUnchanged(object.type, old.type, 'type')),
  ...checkLasting(object, old, 'data'),
  ...checkKeys(object, 'data'),
  ...(bytesIn(mapAt(object, 'data'), 'base64') > MOST_BYTES ? [tooLong('data', MOST_BYTES)] : []),
  ...checkContents(object),
];

export const CONFIG_RULES: KindRules = [
  ['core.v1.ConfigMap', configMap],
  ['core.v1.Secret', secret],
];
