import {
  difference,
  EMPTY_SET,
  type FieldSet,
  intersection,
  isEmptySet,
  recursiveDifference,
  sameSet,
  union,
} from '@perigee/kubernetes/meta/field-set';
import type { JsonObject } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { PatchError, UntypedError } from '../errors.ts';
import { type ApplyConflicts, type Conflict, reportConflicts } from './apply-conflicts.ts';
import { compare, withoutFields } from './compare.ts';
import { disown } from './disown.ts';
import { type FieldOwner, type FieldOwners, identityOf, readOwners } from './field-owner.ts';
import { fieldSetOf } from './field-set-of.ts';
import { fieldsLastApplied, KUBECTL, withLastApplied } from './last-applied.ts';
import {
  managedFieldsOf,
  withManagedFields,
  withoutBlankMetadata,
  withoutManagedFields,
} from './managed-metadata.ts';
import { merge } from './merge.ts';
import { byVersion, effectsElsewhere, type OtherVersions } from './other-versions.ts';
import { pruneAcrossVersions } from './prune-across-versions.ts';
import { pruneApplied } from './prune-applied.ts';
import { STRIPPED_FIELDS } from './stripped-fields.ts';
import { ownersAfterUpdate, type Writer } from './track-update.ts';
import { typeProblems } from './type-problems.ts';
import { objectTypeOf, type ValueType } from './value-type.ts';

const BEFORE_FIRST_APPLY = 'before-first-apply';

export interface Apply extends Writer {
  /** The object as it is stored; absent when the apply creates it. */
  readonly live?: JsonObject;
  readonly config: JsonObject;
  readonly schema: StructuralSchema;
  /** Takes fields over from their owners instead of a conflict. */
  readonly force: boolean;
  /** An object of the kind without any field set: `{ spec: {} }` if `spec` is always present. */
  readonly blank?: JsonObject;
  /** True if the manager wrote more than the configuration, such as null: that counts as a change. */
  readonly countsAsChange?: boolean;
}

/** The object to store, which still needs its defaults; or what stands in the way. */
export type Applied = { readonly object: JsonObject } | { readonly conflicts: ApplyConflicts };

interface Outcome {
  readonly object: JsonObject;
  readonly owners: FieldOwners;
}

const describeObject = ({ metadata, apiVersion, kind }: JsonObject): string => {
  const { namespace = '', name = '' } = (metadata ?? {}) as JsonObject;
  return `${namespace}/${name}; ${apiVersion}, Kind=${kind}`;
};

const checkConfig = (config: JsonObject, type: ValueType): void => {
  if (managedFieldsOf(config) !== undefined && managedFieldsOf(config) !== null) {
    throw new PatchError(400, 'metadata.managedFields must be nil');
  }
  const problems = typeProblems(config, type);
  if (problems.length === 0) return;
  const list = problems.length === 1 ? problems[0] : ['errors:', ...problems].join('\n  ');
  throw new PatchError(
    400,
    `failed to create typed patch object (${describeObject(config)}): ${list}`,
  );
};

const ownersOf = ({ live, versions }: Apply, type: ValueType): FieldOwners => {
  try {
    return readOwners(managedFieldsOf(live), type, versions?.typeOf);
  } catch (error) {
    throw new PatchError(422, `failed to decode managed fields: ${(error as Error).message}`);
  }
};

/** Removes the fields that the manager applied before and now leaves out, unless another manager owns them. */
const prune = (
  mergedObject: JsonObject,
  last: FieldOwner | undefined,
  owners: FieldOwners,
  { apiVersion, versions }: { readonly apiVersion: string; readonly versions?: OtherVersions },
  type: ValueType,
): JsonObject => {
  if (last === undefined) return mergedObject;
  const all = [last, ...owners.values()];
  if (versions !== undefined && all.some((owner) => owner.apiVersion !== apiVersion)) {
    return pruneAcrossVersions(mergedObject, last, owners, apiVersion, versions);
  }
  const ownedFields = [...owners.values()].reduce(
    (set, owner) => union(set, owner.fields),
    EMPTY_SET,
  );
  return pruneApplied(mergedObject, last.fields, ownedFields, type);
};

const attempt = (
  live: JsonObject,
  before: FieldOwners,
  apply: Apply,
  type: ValueType,
): Outcome & { readonly conflicts: readonly Conflict[] } => {
  const { config, manager, apiVersion, subresource, time, versions } = apply;
  const { resetFields = EMPTY_SET, countsAsChange = false } = apply;
  const id = identityOf({ manager, operation: 'Apply', apiVersion, subresource });
  const last = before.get(id);
  const fields = recursiveDifference(fieldSetOf(config, type), resetFields);
  const me: FieldOwner = {
    manager,
    operation: 'Apply',
    apiVersion,
    subresource,
    time: last?.time,
    fields,
  };
  const owners = new Map(before).set(id, me);
  const mergedObject = merge(live, config, type);
  const prunedObject = prune(mergedObject, last, owners, { apiVersion, versions }, type);
  const changes = withoutFields(compare(live, prunedObject, type), resetFields);
  const touchedFields = union(changes.modified, changes.added);
  const conflicts: Conflict[] = [];
  const { here, elsewhere } = byVersion(before, apiVersion, versions);
  for (const [other, owner] of here) {
    const contestedFields = other === id ? EMPTY_SET : intersection(owner.fields, touchedFields);
    if (!isEmptySet(contestedFields)) conflicts.push({ owner, fields: contestedFields });
  }
  const mine = new Map(here).set(id, me);
  const after = new Map(disown(mine, union(touchedFields, changes.removed), id));
  for (const effect of effectsElsewhere(elsewhere, live, prunedObject, versions)) {
    if (effect.id === id) continue;
    const contestedFields = intersection(effect.owner.fields, effect.touchedFields);
    if (!isEmptySet(contestedFields))
      conflicts.push({ owner: effect.owner, fields: contestedFields });
    if (effect.remainingOwner !== undefined) after.set(effect.id, effect.remainingOwner);
  }
  const isChanged = countsAsChange || !sameJson(live, prunedObject);
  const strippedFields = difference(fields, STRIPPED_FIELDS);
  if (isEmptySet(strippedFields)) after.delete(id);
  else after.set(id, renew(last, { ...me, fields: strippedFields }, isChanged ? time : undefined));
  return { object: prunedObject, owners: after, conflicts };
};

/** The owner as it was, where it still is: then its entry need not be written again. */
const renew = (
  last: FieldOwner | undefined,
  me: FieldOwner,
  time: string | undefined,
): FieldOwner => {
  const isSame = last !== undefined && last.apiVersion === me.apiVersion;
  const fields = isSame && sameSet(last.fields, me.fields) ? last.fields : me.fields;
  if (isSame && fields === last.fields && time === undefined) return last;
  return { ...me, fields, time: time ?? me.time };
};

/** The conflicts outside of the fields that the manager may take over. */
const besides = (conflicts: readonly Conflict[], allowed: FieldSet): readonly Conflict[] =>
  conflicts
    .map(({ owner, fields }) => ({ owner, fields: difference(fields, allowed) }))
    .filter(({ fields }) => !isEmptySet(fields));

/**
 * Server-side apply: merges a configuration into the live object, drops what the manager applied
 * before and leaves out now, and records the owners. Throws a `PatchError` when the configuration
 * or the live object does not fit the schema.
 */
export const serverSideApply = (apply: Apply): Applied => {
  const type = objectTypeOf(apply.schema);
  checkConfig(apply.config, type);
  try {
    return applyTyped(apply, type);
  } catch (error) {
    if (!(error instanceof UntypedError)) throw error;
    const object = describeObject(apply.live ?? apply.config);
    throw new PatchError(422, `failed to create typed live object (${object}): ${error.message}`);
  }
};

const applyTyped = (apply: Apply, type: ValueType): Applied => {
  const { config, manager, apiVersion, force, blank = {} } = apply;
  const live = apply.live === undefined ? blank : withoutManagedFields(apply.live);
  let owners = ownersOf(apply, type);
  if (owners.size === 0 && apply.live !== undefined) {
    const writer = { ...apply, manager: BEFORE_FIRST_APPLY };
    owners = ownersAfterUpdate(owners, blank, live, type, writer);
  }
  const { object, owners: after, conflicts } = attempt(live, owners, apply, type);
  if (!force && conflicts.length > 0) {
    const allowedFields =
      manager === KUBECTL ? fieldsLastApplied(live, apiVersion, type) : EMPTY_SET;
    const remainingConflicts = besides(conflicts, allowedFields);
    if (remainingConflicts.length > 0) return { conflicts: reportConflicts(remainingConflicts) };
  }
  const whole = withoutBlankMetadata(object);
  const annotatedObject = manager === KUBECTL ? withLastApplied(whole, config) : whole;
  return { object: withManagedFields(annotatedObject, after) };
};
