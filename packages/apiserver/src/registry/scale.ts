import type { ScaleSubresource } from '@perigee/api/kind/define-kind';
import {
  formatLabelSelector,
  type LabelSelectorSpec,
  labelSelectorOf,
} from '@perigee/api/values/label-selector';
import { type FieldError, invalid } from '@perigee/schema/errors';
import { goPlain, goQuote } from '@perigee/schema/go-text';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import type { ServedResource } from '../resource/served-resource.ts';
import { invalidObject, notFound } from '../status/object-refusals.ts';
import { internalError } from '../status/server-refusals.ts';
import { metaOf, storedMetaOf, withMeta } from './metadata.ts';

/** The kind of all scales. */
export const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

const scaleFieldsOf = (resource: ServedResource, name: string): ScaleSubresource => {
  if (resource.scale === undefined) throw notFound(resource, name);
  return resource.scale;
};

/** The names in a path such as `.spec.replicas`. */
const stepsOf = (path: string): readonly string[] => path.split('.').filter((step) => step !== '');

const valueAt = (object: JsonObject, path: string | undefined): JsonValue | undefined => {
  if (path === undefined) return undefined;
  return stepsOf(path).reduce<JsonValue | undefined>(
    (value, step) => (isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    object,
  );
};

const withValueAt = (
  object: JsonObject,
  [step, ...rest]: readonly string[],
  value: JsonValue,
): JsonObject => {
  if (step === undefined) return object;
  const child = object[step];
  const inner = isJsonObject(child) ? child : {};
  return { ...object, [step]: rest.length === 0 ? value : withValueAt(inner, rest, value) };
};

const countAt = (object: JsonObject, path: string): number => {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : 0;
};

/** A custom resource keeps the selector as text, a built-in kind as a structure. */
const selectorText = (value: JsonValue | undefined): string | undefined => {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (!isJsonObject(value)) return undefined;
  // The oldest scalable kind selects by labels alone.
  const isSpec = isJsonObject(value.matchLabels) || Array.isArray(value.matchExpressions);
  const spec = isSpec ? value : { matchLabels: value };
  return formatLabelSelector(labelSelectorOf(spec as LabelSelectorSpec)) || undefined;
};

/** The Scale of an object: its desired and current replicas, in the form that all scalable kinds share. */
export const scaleOf = (resource: ServedResource, object: JsonObject): JsonObject => {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = storedMetaOf(object);
  const fields = scaleFieldsOf(resource, name);
  const selector = selectorText(valueAt(object, fields.labelSelectorPath));
  const desiredReplicas = countAt(object, fields.specReplicasPath);
  return {
    kind: SCALE.kind,
    apiVersion: `${SCALE.group}/${SCALE.version}`,
    metadata: {
      name,
      ...present({ namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
    },
    spec: desiredReplicas === 0 ? {} : { replicas: desiredReplicas },
    status: {
      replicas: countAt(object, fields.statusReplicasPath),
      ...present({ selector }),
    },
  };
};

const GO_TYPES: { readonly [type: string]: string } = {
  boolean: 'bool',
  number: 'float64',
  object: 'map[string]interface {}',
};

const goTypeOf = (value: JsonValue): string => {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'bigint' || Number.isInteger(value)) return 'int64';
  return GO_TYPES[typeof value] ?? typeof value;
};

/** Type mismatch on the path to a count, in the words of Go. */
const mistypedAt = (object: JsonObject, path: string): string | undefined => {
  let value: JsonValue = object;
  for (const step of stepsOf(path)) {
    if (value === null) return undefined;
    if (!isJsonObject(value)) {
      return `${goPlain(value)} is of the type ${goTypeOf(value)}, expected map[string]interface{}`;
    }
    const next: JsonValue | undefined = Object.hasOwn(value, step) ? value[step] : undefined;
    if (next === undefined) return undefined;
    value = next;
  }
  return goTypeOf(value) === 'int64'
    ? undefined
    : `${goPlain(value)} is of the type ${goTypeOf(value)}, expected int64`;
};

const MAX_INT32 = 2 ** 31 - 1;

/** Problems of the scale of a custom resource: its desired and current replicas must be counts. */
export const scaleProblems = (
  { origin, scale }: ServedResource,
  object: JsonObject,
): readonly FieldError[] => {
  if (origin !== 'crd' || scale === undefined) return [];
  return [scale.specReplicasPath, scale.statusReplicasPath].flatMap((path) => {
    const odd = mistypedAt(object, path);
    if (odd !== undefined) return [invalid(path, 0, `${path} accessor error: ${odd}`)];
    const count = countAt(object, path);
    if (count < 0) return [invalid(path, count, 'should be a non-negative integer')];
    return count > MAX_INT32
      ? [invalid(path, count, `should be less than or equal to ${MAX_INT32}`)]
      : [];
  });
};

/** The scale of an object; a custom resource has none until its desired replicas are set. */
export const readScale = (resource: ServedResource, object: JsonObject): JsonObject => {
  const path = resource.scale?.specReplicasPath;
  if (resource.origin === 'crd' && path !== undefined && valueAt(object, path) === undefined) {
    throw internalError(`the spec replicas field ${goQuote(path)} does not exist`);
  }
  return scaleOf(resource, object);
};

/** The object with as many replicas as the scale wants; the scale's version and UID guard it. */
export const withReplicas = (
  resource: ServedResource,
  object: JsonObject,
  scale: JsonObject,
): JsonObject => {
  const { name } = storedMetaOf(object);
  const fields = scaleFieldsOf(resource, name);
  const desiredReplicas = valueAt(scale, '.spec.replicas') ?? 0;
  // A custom resource is held to its own schema afterwards.
  const isTooFew = resource.origin !== 'crd' && Number(desiredReplicas) < 0;
  if (typeof desiredReplicas !== 'number' || !Number.isInteger(desiredReplicas) || isTooFew) {
    const problem = invalid('spec.replicas', desiredReplicas, 'must be greater than or equal to 0');
    throw invalidObject(SCALE, name, [problem]);
  }
  const { uid, resourceVersion } = metaOf(scale);
  const guardedObject = withMeta(object, {
    ...metaOf(object),
    uid,
    ...(resourceVersion ? { resourceVersion } : {}),
  });
  return withValueAt(guardedObject, stepsOf(fields.specReplicasPath), desiredReplicas);
};
