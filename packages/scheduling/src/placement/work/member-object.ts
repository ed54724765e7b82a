import type { JsonObject } from '@perigee/api/json';
import { sameJson } from '@perigee/api/schema/validate/same-json';
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

/** Whether an object in a member cluster was put there by a control plane. */
const isManaged = (object: JsonObject): boolean => wordsOf(object, 'labels')[MANAGED] === 'true';

/** The Work that put an object into a member cluster. */
export const workOf = (object: JsonObject): WorkRef | undefined => {
  const { [WORK_NAMESPACE]: namespace, [WORK_NAME]: name } = wordsOf(object, 'annotations');
  return namespace && name ? { namespace, name } : undefined;
};

/** Whether an object was put into a member cluster by this Work. */
export const isOf = (object: JsonObject, { namespace, name }: WorkRef): boolean => {
  const work = workOf(object);
  return isManaged(object) && work?.namespace === namespace && work.name === name;
};

/** Whether a manifest may take the place of what the cluster has. */
export const mayReplace = (manifest: JsonObject, observed: JsonObject): boolean =>
  isManaged(observed) || wordsOf(manifest, 'annotations')[CONFLICT_RESOLUTION] === 'overwrite';

/** Whether a manifest is only there to be made: what the cluster has in its place does as well. */
export const isMadeOnce = (manifest: JsonObject): boolean =>
  wordsOf(manifest, 'annotations')[MADE_ONCE] === 'true';

/** The manifest's words, and those of the cluster except what the control plane had put there before. */
const retainWords = (manifest: JsonObject, observed: JsonObject, field: WordsField): Words => {
  const listed = field === 'labels' ? MANAGED_LABELS : MANAGED_ANNOTATIONS;
  const ours = new Set((wordsOf(observed, 'annotations')[listed] ?? '').split(','));
  return { ...omitWords(wordsOf(observed, field), ours), ...wordsOf(manifest, field) };
};

/**
 * The manifest as it is to be written over what the cluster has: what the cluster and those who work in it
 * decide stays.
 */
export const retained = (
  manifest: JsonObject,
  observed: JsonObject,
  { retain }: KindInterpreter,
): JsonObject => {
  const { resourceVersion, finalizers, ownerReferences } = objectIn(observed, 'metadata');
  const metadata: JsonObject = {
    ...objectIn(manifest, 'metadata'),
    labels: retainWords(manifest, observed, 'labels'),
    annotations: retainWords(manifest, observed, 'annotations'),
    resourceVersion,
    finalizers,
    ownerReferences,
  };
  const next = { ...manifest, metadata };
  // Whatever is retained, it stays the object that the Work is about.
  const { apiVersion, kind } = manifest;
  return { ...(retain?.(next, observed) ?? next), apiVersion, kind, metadata };
};

const bodyOf = ({ apiVersion, kind, metadata, status, ...body }: JsonObject): JsonObject => body;

const sameWords = (a: JsonObject, b: JsonObject): boolean =>
  sameJson(wordsOf(a, 'labels'), wordsOf(b, 'labels')) &&
  sameJson(wordsOf(a, 'annotations'), wordsOf(b, 'annotations'));

/** Whether two states of an object differ in nothing that a manifest can say. */
export const sameContent = (a: JsonObject, b: JsonObject): boolean =>
  sameWords(a, b) && sameJson(bodyOf(a), bodyOf(b));

/** A manifest, and what the cluster made of it: it fills in what was left out. */
export interface Settled {
  readonly manifest: JsonObject;
  readonly stored: JsonObject;
}

/**
 * Whether the cluster has what is to be written. What it filled in by itself does not count, which can be
 * told from its answer to the last write.
 */
export const isSettled = (
  next: JsonObject,
  observed: JsonObject,
  manifest: JsonObject,
  last: Settled | undefined,
): boolean => {
  if (!sameWords(next, observed)) return false;
  if (sameJson(bodyOf(next), bodyOf(observed))) return true;
  return (
    last !== undefined &&
    sameJson(last.manifest, manifest) &&
    sameJson(bodyOf(last.stored), bodyOf(observed))
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

/** The object as its cluster's own, without a trace of who put it there. */
export const released = (object: JsonObject): JsonObject =>
  withField(
    withField(object, ['metadata', 'labels'], omitWords(wordsOf(object, 'labels'), OUR_LABELS)),
    ['metadata', 'annotations'],
    omitWords(wordsOf(object, 'annotations'), OUR_ANNOTATIONS),
  );
