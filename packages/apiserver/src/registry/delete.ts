import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { addFinalizer } from '@perigee/api/values/finalizers';
import { notSupported } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { formatTime, parseTime } from '@perigee/schema/values/time';
import type { ServedResource } from '../resource/served-resource.ts';
import { conflict, forbidden, invalidObject, notFound } from '../status/object-refusals.ts';
import type { Entry } from '../store/store.ts';
import { commit, type Decision } from './commit.ts';
import { deletionFinalizers, type PropagationPolicy } from './deletion-finalizers.ts';
import { atVersion, storedMetaOf, withMeta } from './metadata.ts';
import { formOf } from './object-form.ts';
import type { Registry } from './registry.ts';

export interface DeleteRequest {
  readonly namespace?: string;
  readonly name: string;
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: PropagationPolicy;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Result of a deletion. */
export interface Deletion {
  /** False when it waits for finalizers or for its grace period to end. */
  readonly isGone: boolean;
  readonly object: JsonObject;
}

const POLICIES: readonly string[] = ['Foreground', 'Background', 'Orphan'];

const checkPolicy = ({ propagationPolicy: policy }: DeleteRequest): void => {
  if (policy === undefined || POLICIES.includes(policy)) return;
  const problem = notSupported('propagationPolicy', policy, [...POLICIES, 'nil']);
  throw invalidObject({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [problem]);
};

/** Warns a client that sets no propagation policy if dependents are deleted by default. */
export const warnOfOrphans = (
  { caller }: Registry,
  { strategy }: ServedResource,
  { propagationPolicy }: Pick<DeleteRequest, 'propagationPolicy'>,
): void => {
  if (propagationPolicy !== undefined || strategy.orphanWarning === undefined) return;
  caller?.warn(strategy.orphanWarning);
};

const checkPreconditions = (
  resource: ServedResource,
  { preconditions = {} }: DeleteRequest,
  { name, uid, resourceVersion }: ObjectMeta,
): void => {
  const kindResource = { ...resource, plural: resource.kind };
  if (preconditions.uid !== undefined && preconditions.uid !== uid) {
    throw conflict(
      kindResource,
      name,
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (
    preconditions.resourceVersion !== undefined &&
    preconditions.resourceVersion !== resourceVersion
  ) {
    throw conflict(
      kindResource,
      name,
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
};

/** Deletion of a kind with a grace period: new metadata, or no change while one is under way. */
type Grace =
  | { readonly kind: 'none' | 'pending' }
  | { readonly kind: 'given'; readonly seconds: number; readonly endsAt: number };

const graceOf = (
  { strategy }: ServedResource,
  object: JsonObject,
  requestedSeconds: number | undefined,
  nowMs: number,
): Grace => {
  if (strategy.graceSeconds === undefined) return { kind: 'none' };
  const { deletionTimestamp, deletionGracePeriodSeconds: givenSeconds } = storedMetaOf(object);
  const validSeconds =
    requestedSeconds !== undefined && requestedSeconds < 0 ? 1 : requestedSeconds;
  if (deletionTimestamp === undefined) {
    const own = strategy.graceSeconds(object);
    const seconds = own === 0 ? 0 : (validSeconds ?? own);
    return { kind: 'given', seconds, endsAt: nowMs + seconds * 1000 };
  }
  if (!givenSeconds) return { kind: 'none' };
  if (validSeconds === undefined || validSeconds >= givenSeconds) return { kind: 'pending' };
  const endsAt = parseTime(deletionTimestamp) + (validSeconds - givenSeconds) * 1000;
  return endsAt >= nowMs
    ? { kind: 'given', seconds: validSeconds, endsAt }
    : { kind: 'given', seconds: validSeconds === 0 ? 0 : 1, endsAt: nowMs };
};

/** A deletion without a grace period is due now, and keeps an earlier due time. */
const dueNow = (since: string | undefined, nowMs: number): string =>
  since === undefined || parseTime(since) > nowMs ? formatTime(nowMs) : since;

/** The object with a deletion timestamp; it is removed after its last finalizer. */
const markDeleted = (
  object: JsonObject,
  finalizers: readonly string[],
  deletionGracePeriodSeconds: number,
  deletionTimestamp: string,
): JsonObject => {
  const meta = storedMetaOf(object);
  const isFirst = meta.deletionTimestamp === undefined;
  return withMeta(object, {
    ...meta,
    finalizers: finalizers.length === 0 ? undefined : finalizers,
    deletionTimestamp,
    deletionGracePeriodSeconds,
    ...(isFirst && meta.generation !== undefined ? { generation: meta.generation + 1 } : {}),
  });
};

/** Adds the finalizers of the kind once, at the start of the deletion. */
const withCleaners = (
  { strategy }: ServedResource,
  { deletionTimestamp }: ObjectMeta,
  finalizers: readonly string[],
): readonly string[] => {
  const { deletionFinalizers: cleaners = [] } = strategy;
  if (deletionTimestamp !== undefined) return finalizers;
  return cleaners.reduce<readonly string[]>(addFinalizer, finalizers);
};

const decide = (
  { admission, clock }: Registry,
  resource: ServedResource,
  request: DeleteRequest,
  present: Entry,
): Decision & { readonly isGone: boolean } => {
  const nowMs = clock.now();
  const object = formOf(resource).read(present);
  admission?.admitDeletion(resource, object);
  const meta = storedMetaOf(object);
  checkPreconditions(resource, request, meta);
  const grace = graceOf(resource, object, request.gracePeriodSeconds, nowMs);
  if (grace.kind === 'pending') return { change: { keep: true }, object, isGone: false };
  const finalizers = withCleaners(
    resource,
    meta,
    deletionFinalizers(
      meta,
      request.propagationPolicy,
      resource.strategy.orphansDependents ? 'Orphan' : 'Background',
    ),
  );
  const isGraceful = grace.kind === 'given' && grace.seconds > 0;
  const { isHeld, ending } = resource.strategy;
  if (finalizers.length === 0 && !isGraceful && !isHeld?.(object)) {
    if (grace.kind !== 'given') return { change: { remove: true }, object, isGone: true };
    const endedObject = markDeleted(object, finalizers, 0, formatTime(grace.endsAt));
    return { change: { put: endedObject }, object: endedObject, isGone: true };
  }
  const doomed =
    grace.kind === 'given'
      ? markDeleted(object, finalizers, grace.seconds, formatTime(grace.endsAt))
      : markDeleted(object, finalizers, 0, dueNow(meta.deletionTimestamp, nowMs));
  const keptObject = ending?.(doomed) ?? doomed;
  const isSame = sameJson(keptObject, object);
  if (isSame) return { change: { keep: true }, object, isGone: false };
  return { change: { put: keptObject }, object: keptObject, isGone: false };
};

/**
 * For kinds with a grace period, watchers get the deletion timestamp before the removal, even if both are
 * immediate.
 */
const removeMarked = (
  registry: Registry,
  resource: ServedResource,
  request: DeleteRequest & { readonly operation: 'DELETE' },
  endedObject: JsonObject,
): Promise<JsonObject> =>
  commit(registry, resource, request, (present, revision) => {
    const isSame = present && storedMetaOf(present.object).uid === storedMetaOf(endedObject).uid;
    if (!isSame) return { change: { keep: true }, object: endedObject };
    return {
      change: { remove: true },
      object: atVersion(formOf(resource).read(present), revision),
    };
  });

/** Deletes an object, or marks it if finalizers or its grace period keep it. */
export const deleteObject = async (
  registry: Registry,
  resource: ServedResource,
  request: DeleteRequest,
): Promise<Deletion> => {
  checkPolicy(request);
  warnOfOrphans(registry, resource, request);
  if (resource.strategy.undeletable?.includes(request.name)) {
    throw forbidden(resource, request.name, `this ${resource.singular} may not be deleted`);
  }
  let isGone = false;
  let isMarked = false;
  const deletion = { ...request, operation: 'DELETE' } as const;
  let endedObject: JsonObject = {};
  const marking = commit(registry, resource, deletion, (present, revision) => {
    if (present === undefined) throw notFound(resource, request.name);
    const decision = decide(registry, resource, request, present);
    isGone = decision.isGone;
    isMarked = isGone && 'put' in decision.change;
    const isKept = request.dryRun || 'keep' in decision.change;
    endedObject = isKept ? decision.object : atVersion(decision.object, revision);
    return { ...decision, object: endedObject };
  });
  // Decided by now unless others are asked first: both writes reach the disk together, or neither does.
  if (!isMarked) await marking;
  if (!isMarked || request.dryRun) return { isGone, object: await marking };
  const removing = removeMarked(registry, resource, deletion, endedObject);
  const [, object] = await Promise.all([marking, removing]);
  return { isGone, object };
};
