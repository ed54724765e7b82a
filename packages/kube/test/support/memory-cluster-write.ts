import type { KubeObject, ObjectMeta, WrittenMeta } from '@perigee/api/meta/object-meta';
import { apiVersionOf, type ResourceKind } from '@perigee/api/meta/resource-kind';
import { sameJson } from '@perigee/schema/same-json';
import type { Clock } from '../../src/clock/clock.ts';
import { badRequest, conflict, invalid } from './memory-cluster-errors.ts';

export interface MemoryObject extends KubeObject {
  readonly status?: unknown;
  readonly [field: string]: unknown;
}

export interface MemoryWritten {
  readonly metadata: WrittenMeta;
  readonly [field: string]: unknown;
}

const NAME_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

const nameSuffix = (clock: Clock): string =>
  Array.from(
    { length: 5 },
    () => NAME_LETTERS[Math.floor(clock.random() * NAME_LETTERS.length)],
  ).join('');

const timestamp = (clock: Clock): string => `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;

/** The object that a create stores: with the server's own metadata, without the status if that is separate. */
export const createdObject = (
  kind: ResourceKind,
  body: MemoryWritten,
  separateStatus: boolean,
  clock: Clock,
): MemoryObject => {
  const { metadata, status, ...rest } = body;
  const name =
    metadata.name ?? (metadata.generateName && metadata.generateName + nameSuffix(clock));
  if (!name)
    throw invalid(kind, '', 'metadata.name: Required value: name or generateName is required');
  if (metadata.resourceVersion) {
    throw badRequest('resourceVersion should not be set on objects to be created');
  }
  if (kind.scope === 'Namespaced' && !metadata.namespace) {
    throw badRequest(`an empty namespace may not be set during creation of ${kind.plural}`);
  }
  const { namespace, deletionTimestamp, deletionGracePeriodSeconds, ...given } = metadata;
  return {
    ...rest,
    ...(status !== undefined && !separateStatus ? { status } : {}),
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: {
      ...given,
      name,
      ...(kind.scope === 'Namespaced' ? { namespace } : {}),
      uid: clock.uuid(),
      resourceVersion: '',
      generation: 1,
      creationTimestamp: timestamp(clock),
    },
  };
};

const guard = (kind: ResourceKind, old: MemoryObject, { metadata }: MemoryWritten): void => {
  if (metadata.resourceVersion && metadata.resourceVersion !== old.metadata.resourceVersion) {
    throw conflict(
      kind,
      old.metadata.name,
      'the object has been modified; please apply your changes to the latest version and try again',
    );
  }
  if (metadata.uid && metadata.uid !== old.metadata.uid) {
    throw conflict(
      kind,
      old.metadata.name,
      `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${old.metadata.uid}`,
    );
  }
  const newFinalizers = (metadata.finalizers ?? []).filter(
    (f) => !old.metadata.finalizers?.includes(f),
  );
  if (old.metadata.deletionTimestamp && newFinalizers.length > 0) {
    throw invalid(
      kind,
      old.metadata.name,
      `metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(newFinalizers)}`,
    );
  }
};

const keptMeta = (old: ObjectMeta, written: WrittenMeta): ObjectMeta => {
  const { deletionTimestamp, deletionGracePeriodSeconds, generation } = old;
  const { deletionTimestamp: _, deletionGracePeriodSeconds: __, ...given } = written;
  return {
    ...given,
    name: old.name,
    ...(old.namespace !== undefined ? { namespace: old.namespace } : {}),
    uid: old.uid,
    resourceVersion: old.resourceVersion,
    creationTimestamp: old.creationTimestamp,
    ...(generation !== undefined ? { generation } : {}),
    ...(deletionTimestamp !== undefined ? { deletionTimestamp } : {}),
    ...(deletionGracePeriodSeconds !== undefined ? { deletionGracePeriodSeconds } : {}),
  };
};

const content = ({ metadata, status, ...rest }: MemoryObject, separateStatus: boolean): unknown =>
  separateStatus ? rest : { ...rest, status };

/** The object that an update stores. Throws 409 for another version than the stored one. */
export const updatedObject = (
  kind: ResourceKind,
  old: MemoryObject,
  body: MemoryWritten,
  part: { readonly separateStatus: boolean; readonly subresource?: string },
): MemoryObject => {
  guard(kind, old, body);
  if (part.subresource === 'status') {
    const { status: _, ...kept } = old;
    return body.status === undefined ? kept : { ...kept, status: body.status };
  }
  const { status: givenStatus, ...given } = body;
  const status = part.separateStatus ? old.status : givenStatus;
  const next: MemoryObject = {
    ...given,
    ...(status !== undefined ? { status } : {}),
    apiVersion: old.apiVersion,
    kind: old.kind,
    metadata: keptMeta(old.metadata, body.metadata),
  };
  const same = sameJson(content(old, part.separateStatus), content(next, part.separateStatus));
  if (same || old.metadata.generation === undefined) return next;
  return { ...next, metadata: { ...next.metadata, generation: old.metadata.generation + 1 } };
};

/** An object with finalizers that is asked to go: it stays until the last finalizer is removed. */
export const deletingObject = (old: MemoryObject, clock: Clock): MemoryObject =>
  old.metadata.deletionTimestamp
    ? old
    : {
        ...old,
        metadata: {
          ...old.metadata,
          deletionTimestamp: timestamp(clock),
          deletionGracePeriodSeconds: 0,
          generation: (old.metadata.generation ?? 0) + 1,
        },
      };
