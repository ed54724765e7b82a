import type { Work, WorkWritten } from '@perigee/api/kinds/placement/work';
import type { OwnerReference } from '@perigee/api/meta/object-meta';
import { addFinalizer } from '@perigee/api/values/finalizers';
import { executionNamespace, workNameFor } from '@perigee/api/values/karmada-names';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { textIn } from '../../interpreter/fields.ts';
import { isOf } from './member-object.ts';
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
import { workOrigin } from './work-origin.ts';

/** A Work without server-populated fields. */
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
  /** The binding that the Work executes, if any. */
  readonly binding?: string;
  /** The name of a Work without a binding. */
  readonly name?: string;
}

/** Replaces marks that the object already has: they may be forged. */
const withMarks = (object: JsonObject, { labels = {}, annotations = {} }: Marks): JsonObject => {
  const bare = withoutWords(
    withoutWords(object, 'labels', BROUGHT_LABELS),
    'annotations',
    BROUGHT_ANNOTATIONS,
  );
  return withWords(withWords(bare, 'labels', labels), 'annotations', annotations);
};

/** The Work that delivers an object to a cluster, with marks of its origin. */
export const workFor = (
  cluster: string,
  object: JsonObject,
  work: Omit<DesiredWork, 'name' | 'namespace' | 'manifest'>,
  { binding = '', name = workNameFor(resourceOf(object), binding), ...marks }: Origin = {},
): DesiredWork => {
  const meta = (field: string): string => textIn(object, 'metadata', field);
  const namespace = executionNamespace(cluster);
  const conflict = work.annotations[CONFLICT_RESOLUTION];
  const manifest = withMarks(object, {
    labels: { ...marks.labels, [MANAGED]: 'true' },
    annotations: {
      ...marks.annotations,
      [TEMPLATE_UID]: meta('uid'),
      [WORK_NAME]: name,
      [WORK_NAMESPACE]: namespace,
      ...present({ [CONFLICT_RESOLUTION]: conflict }),
    },
  });
  return { ...work, name, namespace, manifest: prune(manifest) };
};

const keysOf = (words: Words, ...further: readonly string[]): string =>
  [...new Set([...Object.keys(words), ...further])].sort().join(',');

/**
 * Adds to the manifest a list of all labels and annotations that the control plane owns, so that a
 * later removal is distinguished from those of the member.
 */
const seal = (manifest: JsonObject, workId: string | undefined): JsonObject => {
  const manifestWithId = workId ? withWords(manifest, 'labels', { [WORK_ID]: workId }) : manifest;
  const annotations = wordsOf(manifestWithId, 'annotations');
  return withWords(manifestWithId, 'annotations', {
    [MANAGED_ANNOTATIONS]: keysOf(annotations, MANAGED_ANNOTATIONS, MANAGED_LABELS),
    [MANAGED_LABELS]: keysOf(wordsOf(manifestWithId, 'labels')),
  });
};

/** The manifests of a Work as they are delivered. Those that a user wrote get the marks by which they are known again. */
export const markedManifests = (work: Work): readonly JsonObject[] => {
  const manifests = work.spec.workload?.manifests ?? [];
  if (workOrigin(work).kind !== 'hand') return manifests;
  const { namespace = '', name, labels = {} } = work.metadata;
  return manifests.map((manifest) =>
    isOf(manifest, { namespace, name })
      ? manifest
      : seal(
          withMarks(manifest, {
            labels: { [MANAGED]: 'true' },
            annotations: { [WORK_NAME]: name, [WORK_NAMESPACE]: namespace },
          }),
          labels[WORK_ID],
        ),
  );
};

const OVERRIDE_NOTES: ReadonlySet<string> = new Set([APPLIED_OVERRIDES, APPLIED_CLUSTER_OVERRIDES]);

/**
 * The Work to write; undefined if it is current. A new Work gets its id here: the manifest contains
 * it, and an id from the admission would cost a second write.
 */
export const workToWrite = (
  desired: DesiredWork,
  storedWork: Work | undefined,
  newId: () => string,
): WorkWritten | undefined => {
  const { suspendDispatching, preserveResourcesOnDeletion, owner } = desired;
  const { metadata } = storedWork ?? {};
  const id: Words = storedWork === undefined ? { [WORK_ID]: newId() } : {};
  const labels = { ...id, ...metadata?.labels, ...desired.labels };
  // Drop override annotations of earlier renderings.
  const presentAnnotations = omitWords(metadata?.annotations ?? {}, OVERRIDE_NOTES);
  const spec = {
    workload: { manifests: [seal(desired.manifest, labels[WORK_ID])] },
    ...present({ suspendDispatching, preserveResourcesOnDeletion }),
  };
  const next: WorkWritten = {
    metadata: {
      ...metadata,
      name: desired.name,
      namespace: desired.namespace,
      labels,
      annotations: { ...presentAnnotations, ...desired.annotations },
      finalizers: addFinalizer(metadata?.finalizers, WORK_FINALIZER),
      ...present({ ownerReferences: owner && [owner] }),
    },
    spec,
  };
  const isSame =
    storedWork !== undefined &&
    sameJson(next.metadata, metadata) &&
    sameJson(spec, storedWork.spec);
  return isSame ? undefined : next;
};
