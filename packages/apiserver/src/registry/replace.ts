import type { ObjectMeta, WrittenMeta } from '@perigee/api/meta/object-meta';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { invalid } from '@perigee/schema/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { unlessOnlyTimesDiffer } from '../apply/unless-only-times-differ.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { conflict, invalidObject } from '../status/object-refusals.ts';
import type { Entry } from '../store/store.ts';
import { admittedObject } from './answers.ts';
import { checkMetadata, checkMetadataUpdate } from './check-metadata.ts';
import { type Decision, inStorage } from './commit.ts';
import { atVersion, metaOf, storedMetaOf, withMeta } from './metadata.ts';
import { formOf } from './object-form.ts';
import { objectProblems } from './object-problems.ts';
import type { Registry } from './registry.ts';
import { trackedObject } from './tracked-object.ts';

const checkVersion = (resource: ServedResource, meta: WrittenMeta, old: ObjectMeta): void => {
  const { origin, strategy } = resource;
  const { resourceVersion = '', uid } = meta;
  const { name } = old;
  if (uid && uid !== old.uid) {
    throw conflict(
      resource,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.uid}`,
    );
  }
  if (resourceVersion === '' || resourceVersion === '0') {
    if (strategy.allowsBlindUpdate ?? origin === 'built-in') return;
    const problem = invalid('metadata.resourceVersion', 0, 'must be specified for an update');
    throw invalidObject({ group: resource.group, kind: resource.plural }, name, [problem]);
  }
  if (resourceVersion !== old.resourceVersion) throw conflict(resource, name);
};

/** Restores the parts of the old object that the endpoint cannot change. */
const withinReach = (
  { hasStatus, strategy }: ServedResource,
  proposed: JsonObject,
  old: JsonObject,
  subresource: string | undefined,
): JsonObject => {
  const reach = subresource === undefined ? undefined : strategy.reach?.[subresource];
  if (reach !== undefined) return reach(proposed, old);
  if (subresource === 'status') {
    const { managedFields } = metaOf(proposed);
    return withStatus(withMeta(old, { ...metaOf(old), managedFields }), proposed.status);
  }
  return hasStatus ? withStatus(proposed, old.status) : proposed;
};

/** Separates status and spec in the stored version: other versions may keep fields elsewhere. */
const reachedObject = (
  resource: ServedResource,
  proposed: JsonObject,
  entry: Entry,
  subresource: string | undefined,
): JsonObject => {
  const { conversion } = resource;
  if (conversion === undefined) {
    return withinReach(resource, proposed, formOf(resource).read(entry), subresource);
  }
  const storedForm = conversion.toStored(proposed);
  return conversion.fromStored(withinReach(resource, storedForm, entry.object, subresource));
};

const withStatus = (object: JsonObject, status: JsonValue | undefined): JsonObject => {
  const { status: _, ...rest } = object;
  return status === undefined ? rest : { ...rest, status };
};

/** Restores the metadata of an existing object that only the server may set. */
const keptMeta = (meta: WrittenMeta, old: ObjectMeta): WrittenMeta => ({
  ...meta,
  namespace: meta.namespace || old.namespace,
  uid: old.uid,
  resourceVersion: old.resourceVersion,
  creationTimestamp: old.creationTimestamp,
  generation: old.generation,
  ...(old.deletionTimestamp === undefined
    ? {}
    : {
        deletionTimestamp: old.deletionTimestamp,
        deletionGracePeriodSeconds:
          meta.deletionGracePeriodSeconds ?? old.deletionGracePeriodSeconds,
      }),
});

/** Fields of the metadata about the deletion. */
const endOf = ({ deletionTimestamp, deletionGracePeriodSeconds }: WrittenMeta) => ({
  ...present({ deletionTimestamp, deletionGracePeriodSeconds }),
});

/** True if the spec differs, rather than the status or metadata. */
const wantsOther = (resource: ServedResource, a: JsonObject, b: JsonObject): boolean => {
  const { hasStatus, strategy } = resource;
  const desired = ({ metadata, status, ...rest }: JsonObject): JsonObject =>
    hasStatus || status === undefined ? rest : { ...rest, status };
  const notes = (object: JsonObject): JsonObject => ({ ...metaOf(object).annotations });
  return (
    !sameJson(desired(a), desired(b)) ||
    (strategy.countsAnnotations === true && !sameJson(notes(a), notes(b)))
  );
};

const withGeneration = (
  resource: ServedResource,
  object: JsonObject,
  old: JsonObject,
): JsonObject => {
  const { generation } = storedMetaOf(old);
  if (resource.strategy.hasGeneration === false || generation === undefined) return object;
  if (!wantsOther(resource, object, old)) return object;
  return withMeta(object, { ...metaOf(object), generation: generation + 1 });
};

const isReleased = ({ strategy }: ServedResource, object: JsonObject, old: ObjectMeta): boolean =>
  old.deletionTimestamp !== undefined &&
  (metaOf(object).finalizers ?? []).length === 0 &&
  !old.deletionGracePeriodSeconds &&
  !strategy.isHeld?.(object);

export interface Replacement {
  readonly subresource?: string;
  readonly revision: number;
  readonly dryRun?: boolean;
  /** The field manager; absent after an apply, which has assigned the owners already. */
  readonly manager?: string;
}

/**
 * The decision to replace an object by a decoded one. An unchanged object keeps its version; one under deletion is
 * removed after its last finalizer.
 */
export const replacement = (
  registry: Registry,
  resource: ServedResource,
  entry: Entry,
  proposed: JsonObject,
  { subresource, revision, dryRun = false, manager }: Replacement,
): Decision => {
  const old = formOf(resource).read(entry);
  const oldMeta = storedMetaOf(old);
  checkVersion(resource, metaOf(proposed), oldMeta);
  const within = (input: JsonObject): JsonObject => {
    const reached = reachedObject(resource, input, entry, subresource);
    return withMeta(reached, keptMeta(metaOf(reached), oldMeta));
  };
  const draft = within(proposed);
  const { strategy } = resource;
  const prepare = (input: JsonObject): JsonObject => {
    const preparedObject = strategy.prepare?.(input, old, subresource) ?? input;
    return subresource === 'status'
      ? preparedObject
      : withGeneration(resource, preparedObject, old);
  };
  const isCustom = resource.origin === 'crd';
  const own = (input: JsonObject): JsonObject => {
    if (manager === undefined) return input;
    const by = { manager, live: old, ...present({ subresource }) };
    const end = endOf(oldMeta);
    const sentEnd = endOf(metaOf(proposed));
    const isUnread = isCustom && subresource === 'status';
    // The deletion time is immutable, but the writer owns the field if it sets it, and loses it otherwise.
    if (oldMeta.deletionTimestamp === undefined || isUnread || sameJson(sentEnd, end)) {
      return trackedObject(registry, resource, input, by);
    }
    const { deletionTimestamp, deletionGracePeriodSeconds, ...meta } = metaOf(input);
    const owned = trackedObject(registry, resource, withMeta(input, { ...meta, ...sentEnd }), by);
    return withMeta(owned, { ...metaOf(owned), ...endOf(metaOf(input)) });
  };
  // A custom kind is converted to the canonical spelling; the defaults of built-in kinds have no owner.
  const owned = isCustom ? own(prepare(draft)) : own(draft);
  const part = subresource === undefined ? {} : { subresource };
  const admittedDraft = admittedObject(registry, { resource, object: owned, old, ...part });
  const isSettled = admittedDraft === owned;
  const settledObject = isSettled ? owned : within(admittedDraft);
  const object = isCustom && isSettled ? owned : prepare(settledObject);
  const first = strategy.validateFirst?.(object, old, subresource) ?? [];
  const errors =
    first.length > 0
      ? first
      : [
          ...checkMetadata(resource, metaOf(object), subresource),
          ...checkMetadataUpdate(metaOf(object), oldMeta),
          ...objectProblems(resource, object, old, subresource),
        ];
  const storedKind = { group: resource.storage.group, kind: resource.kind };
  if (errors.length > 0) throw invalidObject(storedKind, oldMeta.name, errors);
  const isSame = unlessOnlyTimesDiffer(old, object) === old;
  const isStoredSo =
    entry.object.apiVersion === apiVersionOf(resource.storage) &&
    (old === entry.object || sameJson(inStorage(resource, old), entry.object));
  if (isSame && isStoredSo) return { change: { keep: true }, object: old };
  // An object that this write removes is not stored again, and has no new version.
  if (isReleased(resource, object, oldMeta)) return { change: { remove: true }, object };
  return { change: { put: object }, object: dryRun ? object : atVersion(object, revision) };
};
