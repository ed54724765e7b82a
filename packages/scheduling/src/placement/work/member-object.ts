import type { JsonObject } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { objectIn, withField } from '../../interpreter/fields.ts';
import type { KindInterpreter } from '../../interpreter/interpreter.ts';
import { omitWords, type Words, type WordsField, wordsOf } from './words.ts';
import {
  BROUGHT_ANNOTATIONS,
  BROUGHT_LABELS,
  CONFLICT_RESOLUTION,
  MADE_ONCE,
  MANAGED,
  MANAGED_ANNOTATIONS,
  MANAGED_LABELS,
  WORK_NAME,
  WORK_NAMESPACE,
} from './work-names.ts';

interface WorkRef {
  readonly namespace: string;
  readonly name: string;
}

/** True if a control plane created this object. */
const isManaged = (object: JsonObject): boolean => wordsOf(object, 'labels')[MANAGED] === 'true';

/** The Work that created an object in a member. */
export const workOf = (object: JsonObject): WorkRef | undefined => {
  const { [WORK_NAMESPACE]: namespace, [WORK_NAME]: name } = wordsOf(object, 'annotations');
  return namespace && name ? { namespace, name } : undefined;
};

/** True if this Work created the object. */
export const isOf = (object: JsonObject, { namespace, name }: WorkRef): boolean => {
  const work = workOf(object);
  return isManaged(object) && work?.namespace === namespace && work.name === name;
};

/** True if the manifest may overwrite the observed object. */
export const mayReplace = (manifest: JsonObject, live: JsonObject): boolean =>
  isManaged(live) || wordsOf(manifest, 'annotations')[CONFLICT_RESOLUTION] === 'overwrite';

/** True if the manifest is only created, never updated; any existing object is fine. */
export const isMadeOnce = (manifest: JsonObject): boolean =>
  wordsOf(manifest, 'annotations')[MADE_ONCE] === 'true';

/**
 * Merges labels or annotations: the manifest's, plus the member's except those that the control
 * plane had set before.
 */
const retainWords = (manifest: JsonObject, live: JsonObject, field: WordsField): Words => {
  const listAnnotation = field === 'labels' ? MANAGED_LABELS : MANAGED_ANNOTATIONS;
  const ours = new Set((wordsOf(live, 'annotations')[listAnnotation] ?? '').split(','));
  return { ...omitWords(wordsOf(live, field), ours), ...wordsOf(manifest, field) };
};

/** The manifest to write over an observed object, with the fields that the member owns retained. */
export const withRetention = (
  manifest: JsonObject,
  live: JsonObject,
  { retain }: KindInterpreter,
): JsonObject => {
  const { resourceVersion, finalizers, ownerReferences } = objectIn(live, 'metadata');
  const metadata: JsonObject = {
    ...objectIn(manifest, 'metadata'),
    labels: retainWords(manifest, live, 'labels'),
    annotations: retainWords(manifest, live, 'annotations'),
    resourceVersion,
    finalizers,
    ownerReferences,
  };
  const next = { ...manifest, metadata };
  // Retention never changes the object's identity.
  const { apiVersion, kind } = manifest;
  return { ...(retain?.(next, live) ?? next), apiVersion, kind, metadata };
};

const bodyOf = ({ apiVersion, kind, metadata, status, ...body }: JsonObject): JsonObject => body;

const sameWords = (a: JsonObject, b: JsonObject): boolean =>
  sameJson(wordsOf(a, 'labels'), wordsOf(b, 'labels')) &&
  sameJson(wordsOf(a, 'annotations'), wordsOf(b, 'annotations'));

/** True if two states agree in all fields that a manifest can set. */
export const sameContent = (a: JsonObject, b: JsonObject): boolean =>
  sameWords(a, b) && sameJson(bodyOf(a), bodyOf(b));

/** A manifest, and the object that the member stored for it, with defaults. */
export interface SettledManifest {
  readonly manifest: JsonObject;
  readonly storedObject: JsonObject;
}

/**
 * True if the member has the desired state. Defaults that its API server added do not count; they
 * are known from the response to the last write.
 */
export const isSettled = (
  next: JsonObject,
  live: JsonObject,
  manifest: JsonObject,
  last: SettledManifest | undefined,
): boolean => {
  if (!sameWords(next, live)) return false;
  if (sameJson(bodyOf(next), bodyOf(live))) return true;
  return (
    last !== undefined &&
    sameJson(last.manifest, manifest) &&
    sameJson(bodyOf(last.storedObject), bodyOf(live))
  );
};

const OUR_LABELS: ReadonlySet<string> = new Set([
  ...BROUGHT_LABELS,
  'propagationpolicy.karmada.io/permanent-id',
  'clusterpropagationpolicy.karmada.io/permanent-id',
]);

const OUR_ANNOTATIONS: ReadonlySet<string> = new Set([
  ...BROUGHT_ANNOTATIONS,
  CONFLICT_RESOLUTION,
  MADE_ONCE,
  'propagationpolicy.karmada.io/namespace',
  'propagationpolicy.karmada.io/name',
  'clusterpropagationpolicy.karmada.io/name',
]);

/** The object without any marks of the control plane. */
export const withoutMarks = (object: JsonObject): JsonObject =>
  withField(
    withField(object, ['metadata', 'labels'], omitWords(wordsOf(object, 'labels'), OUR_LABELS)),
    ['metadata', 'annotations'],
    omitWords(wordsOf(object, 'annotations'), OUR_ANNOTATIONS),
  );
