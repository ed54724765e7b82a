import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { ApiError } from '@perigee/kube/errors';
import { jsonKind } from '@perigee/kubernetes/types/go-mismatch';
import { invalid } from '@perigee/schema/errors';
import { goQuote } from '@perigee/schema/go-text';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { MalformedBodyError } from '../../errors.ts';
import { invalidObject } from '../../status/object-refusals.ts';
import { badRequest } from '../../status/request-refusals.ts';
import { parseJson } from '../json/parse-json.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { strangerProblem } from './stranger-problem.ts';

/** The kind that a path expects in the body of a request. */
export interface ExpectedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Built-in kinds may leave out their `apiVersion` and `kind`. */
  readonly origin: 'built-in' | 'crd';
}

export interface DecodedObject {
  readonly object: JsonObject;
  /** Warnings of field validation: one sentence for each duplicate field. */
  readonly warnings: readonly string[];
  /** The same problems, as strict field validation reports them. */
  readonly strictErrors: readonly string[];
}

const SHOWN_BYTES = 30;

/** The beginning of a body, in a form that a message can hold. */
const summaryOf = (body: Buffer): string => {
  if (body.length === 0) return '<empty>';
  const start = body.subarray(0, SHOWN_BYTES);
  const text = body[0] === 0x7b ? start.toString('utf8') : start.toString('hex');
  return body.length > SHOWN_BYTES ? `${text} ...` : text;
};

/** Refusal of a body that is no object, such as malformed JSON. */
export const unrecognisedBody = (kind: string, why: string, body: Buffer): ApiError =>
  badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${why} (${summaryOf(body)})`,
  );

/** Refusal of a body that has a kind, but does not fit it. */
const unfitBody = (expected: ExpectedKind, why: string): ApiError =>
  badRequest(
    `${expected.kind} in version ${goQuote(expected.version)} cannot be handled as a ${expected.kind}: ${why}`,
  );

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
export const NO_TYPE_META = "couldn't get version/kind; json parse error: ";

/** Why something that is no object has no kind. */
export const noTypeMeta = (value: JsonValue): string =>
  `json: cannot unmarshal ${jsonKind(value)} into Go value of type ${TYPE_META}`;

type ReadBody = Omit<DecodedObject, 'object'> & { readonly value: JsonValue };

const read = (body: Buffer, format: 'json' | 'yaml'): ReadBody => {
  if (format === 'json') {
    const { value, duplicateFields } = parseJson(body);
    const warnings = duplicateFields.map((field) => `duplicate field ${goQuote(field)}`);
    return { value, warnings, strictErrors: warnings };
  }
  const { value, duplicateKeys: warnings } = parseYaml(body);
  const lines = warnings.map((line) => `\n  ${line}`).join('');
  const strictErrors = warnings.length > 0 ? [`yaml: unmarshal errors:${lines}`] : [];
  return { value, warnings, strictErrors };
};

const withTypeMeta = (object: JsonObject, expected: ExpectedKind, body: Buffer): JsonObject => {
  for (const field of ['apiVersion', 'kind']) {
    const value = object[field] ?? '';
    if (typeof value === 'string') continue;
    const why = `json: cannot unmarshal ${jsonKind(value)} into Go struct field .${field} of type string`;
    throw unrecognisedBody(expected.kind, NO_TYPE_META + why, body);
  }
  const expectedVersion = apiVersionOf(expected);
  const isBuiltIn = expected.origin === 'built-in';
  const { apiVersion = '', kind = '' } = object;
  if (kind === '' && !isBuiltIn) {
    throw unrecognisedBody(expected.kind, `Object 'Kind' is missing in '${body}'`, body);
  }
  if (String(apiVersion).split('/').length > 2) {
    throw unrecognisedBody(expected.kind, `unexpected GroupVersion string: ${apiVersion}`, body);
  }
  if (isBuiltIn) {
    const why = strangerProblem(
      String(apiVersion || expectedVersion),
      String(kind || expected.kind),
      expected,
    );
    if (why !== undefined) throw badRequest(why);
  }
  if (apiVersion !== expectedVersion && !(apiVersion === '' && isBuiltIn)) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expectedVersion})`,
    );
  }
  if (kind !== expected.kind && !(kind === '' && isBuiltIn)) {
    const givenKind = String(kind);
    const { name } = isJsonObject(object.metadata) ? object.metadata : {};
    const error = invalid('kind', givenKind, `must be ${expected.kind}`);
    throw invalidObject(
      { group: expected.group, kind: givenKind },
      typeof name === 'string' ? name : '',
      [error],
    );
  }
  return apiVersion === expectedVersion && kind === expected.kind
    ? object
    : { ...object, apiVersion: expectedVersion, kind: expected.kind };
};

/**
 * Reads the object that a request carries, and checks that it is of the kind that the path is about.
 * Throws the 400 with which kube-apiserver answers a body that is broken or of another kind.
 */
export const decodeObject = (
  body: Buffer,
  format: 'json' | 'yaml',
  expectedKind: ExpectedKind,
): DecodedObject => {
  try {
    const { value, warnings, strictErrors } = read(body, format);
    const fields = value === null ? {} : value;
    if (!isJsonObject(fields)) {
      throw unrecognisedBody(expectedKind.kind, NO_TYPE_META + noTypeMeta(fields), body);
    }
    return { object: withTypeMeta(fields, expectedKind, body), warnings, strictErrors };
  } catch (error) {
    if (!(error instanceof MalformedBodyError)) throw error;
    if (error.problem === 'number') throw unfitBody(expectedKind, error.message);
    const prefix = format === 'json' ? NO_TYPE_META : '';
    throw unrecognisedBody(expectedKind.kind, prefix + error.message, body);
  }
};
