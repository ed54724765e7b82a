import { difference, EMPTY_SET, type FieldSet } from '@perigee/kubernetes/meta/field-set';
import { parseExactJson } from '@perigee/schema/exact-json';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { setField } from '../patch/own-field.ts';
import { compare } from './compare.ts';
import { fieldSetOf } from './field-set-of.ts';
import { goJson } from './path-element.ts';
import { typeProblems } from './type-problems.ts';
import type { ValueType } from './value-type.ts';

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
const MAX_ANNOTATION_BYTES = 256 * 1024;

/** The manager of `kubectl apply --server-side`, heir to what kubectl applied on the client side. */
export const KUBECTL = 'kubectl';

const annotationsOf = (object: JsonObject): JsonObject | undefined => {
  const { metadata } = object;
  return isJsonObject(metadata) && isJsonObject(metadata.annotations)
    ? metadata.annotations
    : undefined;
};

const annotationOf = (object: JsonObject): string | undefined => {
  const value = annotationsOf(object)?.[ANNOTATION];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const parse = (text: string): JsonValue | undefined => {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
};

/** The fields of the last client-side apply that have not changed since: server-side apply may take them over. */
export const fieldsLastApplied = (
  live: JsonObject,
  apiVersion: string,
  type: ValueType,
): FieldSet => {
  const annotation = annotationOf(live);
  const lastConfig = annotation === undefined ? undefined : parse(annotation);
  if (!isJsonObject(lastConfig) || lastConfig.apiVersion !== apiVersion) return EMPTY_SET;
  if (typeProblems(lastConfig, type).length > 0 || typeProblems(live, type).length > 0) {
    return EMPTY_SET;
  }
  const { added, modified, removed } = compare(lastConfig, live, type);
  return [modified, added, removed].reduce(difference, fieldSetOf(lastConfig, type));
};

const sortedJson = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(sortedJson);
  if (!isJsonObject(value)) return value;
  const sortedObject: { [key: string]: JsonValue | undefined } = {};
  for (const key of Object.keys(value).sort())
    setField(sortedObject, key, sortedJson(value[key] ?? null));
  return sortedObject;
};

/** Updates the annotation of an object that has one, so that client-side apply can continue from it. */
export const withLastApplied = (object: JsonObject, config: JsonObject): JsonObject => {
  if (annotationOf(object) === undefined || !isJsonObject(object.metadata)) return object;
  const annotations = annotationsOf(config);
  let bareConfig = config;
  if (annotations !== undefined && isJsonObject(config.metadata)) {
    const { [ANNOTATION]: _, ...rest } = annotations;
    bareConfig = { ...config, metadata: { ...config.metadata, annotations: rest } };
  }
  const { [ANNOTATION]: _, ...others } = annotationsOf(object) ?? {};
  const all = { ...others, [ANNOTATION]: `${goJson(sortedJson(bareConfig))}\n` };
  const size = Object.entries(all).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
  const keptAnnotations = size > MAX_ANNOTATION_BYTES ? others : all;
  return { ...object, metadata: { ...object.metadata, annotations: keptAnnotations } };
};
