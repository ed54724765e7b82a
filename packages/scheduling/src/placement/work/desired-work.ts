import type { JsonObject } from '@perigee/api/json';
import type { Work, WorkWritten } from '@perigee/api/kinds/placement/work';
import type { OwnerReference } from '@perigee/api/meta/object-meta';
import { sameJson } from '@perigee/api/schema/validate/same-json';
import { addFinalizer } from '@perigee/api/values/finalizers';
import { executionNamespace, workNameFor } from '@perigee/api/values/karmada-names';
import { textIn } from '../../interpreter/fields.ts';
import { prune } from './prune.ts';
import { omitWords, type Words, withoutWords, withWords, wordsOf } from './words.ts';
import { resourceOf } from './work-identity.ts';
import {
  APPLIED_CLUSTER_OVERRIDES,
  APPLIED_OVERRIDES,
  BROUGHT_ANNOTATIONS,
  BROUGHT_LABELS,
  CONFLICT_RESOLUTION,
  MANAGED,
  MANAGED_ANNOTATIONS,
  MANAGED_LABELS,
  TEMPLATE_UID,
  WORK_FINALIZER,
  WORK_ID,
  WORK_NAME,
  WORK_NAMESPACE,
} from './work-names.ts';

/** A Work as it should be, but for what its server adds. */
export interface DesiredWork {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Words;
  readonly annotations: Words;
  readonly owner?: OwnerReference;
  readonly manifest: JsonObject;
  readonly suspendDispatching?: boolean;
  readonly preserveResourcesOnDeletion?: boolean;
}

interface Marks {
  readonly labels?: Words;
  readonly annotations?: Words;
}

interface Origin extends Marks {
  /** The name of the binding that the Work carries out, if it carries out one. */
  readonly binding?: string;
  /** The name of the Work, when it is not one that carries out a binding. */
  readonly name?: string;
}

/** Whatever marks an object came with, those that it gets say the truth. */
const marked = (object: JsonObject, { labels = {}, annotations = {} }: Marks): JsonObject => {
  const bare = withoutWords(
    withoutWords(object, 'labels', BROUGHT_LABELS),
    'annotations',
    BROUGHT_ANNOTATIONS,
  );
  return withWords(withWords(bare, 'labels', labels), 'annotations', annotations);
};

/** The Work that takes an object to a cluster, with marks for the object that say for whom. */
export const workFor = (
  cluster: string,
  object: JsonObject,
  work: Omit<DesiredWork, 'name' | 'namespace' | 'manifest'>,
  { binding = '', name = workNameFor(resourceOf(object), binding), ...marks }: Origin = {},
): DesiredWork => {
  const meta = (field: string): string => textIn(object, 'metadata', field);
  const namespace = executionNamespace(cluster);
  const conflict = work.annotations[CONFLICT_RESOLUTION];
  const manifest = marked(object, {
    labels: { ...marks.labels, [MANAGED]: 'true' },
    annotations: {
      ...marks.annotations,
      [TEMPLATE_UID]: meta('uid'),
      [WORK_NAME]: name,
      [WORK_NAMESPACE]: namespace,
      ...(conflict === undefined ? {} : { [CONFLICT_RESOLUTION]: conflict }),
    },
  });
  return { ...work, name, namespace, manifest: prune(manifest) };
};

const keysOf = (words: Words, ...further: readonly string[]): string =>
  [...new Set([...Object.keys(words), ...further])].sort().join(',');

/**
 * The manifest with the list of all labels and annotations that the control plane has put there, so that
 * one which it takes away can be told from one that belongs to the member cluster.
 */
const sealed = (manifest: JsonObject, workId: string | undefined): JsonObject => {
  const identified = workId ? withWords(manifest, 'labels', { [WORK_ID]: workId }) : manifest;
  const annotations = wordsOf(identified, 'annotations');
  return withWords(identified, 'annotations', {
    [MANAGED_ANNOTATIONS]: keysOf(annotations, MANAGED_ANNOTATIONS, MANAGED_LABELS),
    [MANAGED_LABELS]: keysOf(wordsOf(identified, 'labels')),
  });
};

const OVERRIDE_NOTES: ReadonlySet<string> = new Set([APPLIED_OVERRIDES, APPLIED_CLUSTER_OVERRIDES]);

/**
 * The Work to write, or nothing when the present one is as it should be. A new one gets its id here: the manifest
 * carries it, and would be written a second time if the admission gave it.
 */
export const workToWrite = (
  desired: DesiredWork,
  present: Work | undefined,
  newId: () => string,
): WorkWritten | undefined => {
  const { suspendDispatching, preserveResourcesOnDeletion, owner } = desired;
  const { metadata } = present ?? {};
  const id: Words = present === undefined ? { [WORK_ID]: newId() } : {};
  const labels = { ...id, ...metadata?.labels, ...desired.labels };
  // The note of an override that no longer holds must not outlive it.
  const noted = omitWords(metadata?.annotations ?? {}, OVERRIDE_NOTES);
  const spec = {
    workload: { manifests: [sealed(desired.manifest, labels[WORK_ID])] },
    ...(suspendDispatching === undefined ? {} : { suspendDispatching }),
    ...(preserveResourcesOnDeletion === undefined ? {} : { preserveResourcesOnDeletion }),
  };
  const next: WorkWritten = {
    metadata: {
      ...metadata,
      name: desired.name,
      namespace: desired.namespace,
      labels,
      annotations: { ...noted, ...desired.annotations },
      finalizers: addFinalizer(metadata?.finalizers, WORK_FINALIZER),
      ...(owner === undefined ? {} : { ownerReferences: [owner] }),
    },
    spec,
  };
  const isSame =
    present !== undefined && sameJson(next.metadata, metadata) && sameJson(spec, present.spec);
  return isSame ? undefined : next;
};
