import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { WebhookError } from '../errors.ts';
import { checkAnnotations, checkLabels } from '../registry/check-metadata.ts';

type Texts = { readonly [key: string]: string };

const GO_TYPES: { readonly [type: string]: string } = { string: 'string', boolean: 'bool' };

/** A type as Kubernetes names it in messages. */
const typeName = (value: JsonValue | undefined): string => {
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (Array.isArray(value)) return '[]interface {}';
  return GO_TYPES[typeof value] ?? '<nil>';
};

const textAt = (object: JsonObject, name: string): string => {
  const value = isJsonObject(object.metadata) ? object.metadata[name] : undefined;
  return typeof value === 'string' ? value : '';
};

const IDENTITY = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

const checkIdentity = (original: JsonObject, converted: JsonObject): void => {
  for (const [field, fieldPath] of IDENTITY) {
    const [expected, got] = [textAt(original, field), textAt(converted, field)];
    if (expected === got) continue;
    throw new WebhookError(
      `returned invalid object: must have the same ${fieldPath}: ${expected} != ${got}`,
    );
  }
};

const badMetadata = (why: string): WebhookError =>
  new WebhookError(`returned invalid metadata: ${why}`);

const CHECKS = { labels: checkLabels, annotations: checkAnnotations } as const;

/** Labels or annotations as the webhook wants them; undefined when it wants none. */
const textsOf = (
  field: keyof typeof CHECKS,
  value: JsonValue | undefined,
  original: JsonValue | undefined,
): Texts | undefined => {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) {
    throw badMetadata(`invalid metadata.${field} of type ${typeName(value)} in converted object`);
  }
  for (const [key, text] of Object.entries(value)) {
    if (typeof text === 'string') continue;
    throw badMetadata(
      `metadata.${field}[${key}] must be a string, but is ${typeName(text)} in converted object`,
    );
  }
  const texts = value as Texts;
  const problems = sameJson(texts, original) ? [] : CHECKS[field](texts);
  if (problems.length > 0) {
    throw badMetadata(problems.map((problem) => `${problem.field}: ${problem.message}`).join(', '));
  }
  return texts;
};

/**
 * The converted object with the metadata of the original, of which a webhook may change only labels and
 * annotations. Throws a `WebhookError` when it is not the same object in the wanted version.
 */
export const checkConverted = (
  original: JsonObject,
  convertedObject: JsonValue | undefined,
  apiVersion: string,
): JsonObject => {
  if (!isJsonObject(convertedObject)) throw new WebhookError('returned an object that is none');
  const invalid = 'returned invalid object at index 0: invalid';
  if (convertedObject.apiVersion !== apiVersion) {
    const got = convertedObject.apiVersion ?? '';
    throw new WebhookError(`${invalid} groupVersion (expected ${apiVersion}, received ${got})`);
  }
  if (convertedObject.kind !== original.kind) {
    throw new WebhookError(
      `${invalid} kind (expected ${original.kind}, received ${convertedObject.kind ?? ''})`,
    );
  }
  checkIdentity(original, convertedObject);
  const own = isJsonObject(original.metadata) ? original.metadata : {};
  const convertedMeta = isJsonObject(convertedObject.metadata) ? convertedObject.metadata : {};
  const { labels: _, annotations: __, ...metadata } = own;
  const labels = textsOf('labels', convertedMeta.labels, own.labels);
  const annotations = textsOf('annotations', convertedMeta.annotations, own.annotations);
  return {
    ...convertedObject,
    metadata: {
      ...metadata,
      ...present({ labels, annotations }),
    },
  };
};
