import {
  difference,
  EMPTY_SET,
  type FieldSet,
  isEmptySet,
  union,
} from '@perigee/kubernetes/meta/field-set';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { UntypedError } from '../errors.ts';
import { capOwners } from './cap-owners.ts';
import { compare, withoutFields } from './compare.ts';
import { disown } from './disown.ts';
import { type FieldOwner, type FieldOwners, identityOf, readOwners } from './field-owner.ts';
import { managedFieldsOf, withManagedFields, withoutManagedFields } from './managed-metadata.ts';
import { byVersion, effectsElsewhere, type OtherVersions } from './other-versions.ts';
import { STRIPPED_FIELDS } from './stripped-fields.ts';
import { objectTypeOf, type ValueType } from './value-type.ts';

/** A manager, and the rules of its write. */
export interface Writer {
  readonly manager: string;
  /** The version of the API in which the objects are given. */
  readonly apiVersion: string;
  readonly subresource?: string;
  /** Now, in RFC 3339 with seconds. */
  readonly time: string;
  /** Fields that a write through this endpoint does not change, as a set in the form of `fieldsV1`. */
  readonly resetFields?: FieldSet;
  /** Set if fields differ between versions. */
  readonly versions?: OtherVersions;
}

export interface UpdateToTrack extends Writer {
  /** The object as it is stored; absent when `next` is created. */
  readonly live?: JsonObject;
  /** The object as it is to be stored: patched, pruned and with its defaults. */
  readonly next: JsonObject;
  readonly schema: StructuralSchema;
  /** An object of the kind without any field set: `{ spec: {} }` if `spec` is always present. */
  readonly blank?: JsonObject;
}

const isReset = (entries: JsonValue | undefined): boolean => {
  if (!Array.isArray(entries)) return false;
  const [first] = entries;
  return (
    entries.length === 0 ||
    (entries.length === 1 && isJsonObject(first) && Object.keys(first).length === 0)
  );
};

const NOBODY: FieldOwners = new Map();

const readOrNobody = (
  entries: JsonValue | undefined,
  type: ValueType,
  versions: OtherVersions | undefined,
): FieldOwners => {
  try {
    return readOwners(entries, type, versions?.typeOf);
  } catch {
    return NOBODY;
  }
};

/** A client may send owners of its own; unreadable ones are ignored. */
const ownersBefore = (
  { live, next, subresource, versions }: UpdateToTrack,
  type: ValueType,
): FieldOwners => {
  if (subresource === undefined) {
    const sentEntries = managedFieldsOf(next);
    if (isReset(sentEntries)) return NOBODY;
    // Usually clients send entries back unchanged: the live ones are parsed already.
    const owners = sameJson(sentEntries, managedFieldsOf(live))
      ? NOBODY
      : readOrNobody(sentEntries, type, versions);
    if (owners.size > 0) return owners;
  }
  return readOrNobody(managedFieldsOf(live), type, versions);
};

/** The owners after an update: the writer owns the changed fields, and removed fields have no owner. */
export const ownersAfterUpdate = (
  owners: FieldOwners,
  live: JsonObject,
  next: JsonObject,
  type: ValueType,
  writer: Writer,
): FieldOwners => {
  const { manager, apiVersion, subresource, time, resetFields = EMPTY_SET, versions } = writer;
  const { here, elsewhere } = byVersion(owners, apiVersion, versions);
  const changes = withoutFields(compare(live, next, type), resetFields);
  const touchedFields = union(changes.modified, changes.added);
  const mine = difference(touchedFields, STRIPPED_FIELDS);
  const owner = { manager, operation: 'Update', apiVersion, subresource, time } as const;
  const id = identityOf(owner);
  // Usually a writer changes its own fields: their set then stays the same reference, and is cached.
  const keeper = mine === touchedFields ? id : undefined;
  const result = new Map(disown(disown(here, changes.removed), touchedFields, keeper));
  if (!isEmptySet(mine)) {
    const fields = union(result.get(id)?.fields ?? EMPTY_SET, mine);
    result.set(id, { ...owner, fields } satisfies FieldOwner);
  }
  for (const { id, remainingOwner } of effectsElsewhere(elsewhere, live, next, versions)) {
    if (remainingOwner !== undefined) result.set(id, remainingOwner);
  }
  return capOwners(result);
};

/**
 * Records field ownership after a create, replace or patch: returns `next` with its `metadata.managedFields`. An
 * object without owners, or with duplicate items, is not tracked.
 */
export const trackUpdate = (update: UpdateToTrack): JsonObject => {
  const { live, schema, blank = {} } = update;
  const next = withoutManagedFields(update.next);
  const type = objectTypeOf(schema);
  const owners = ownersBefore(update, type);
  if (owners.size === 0 && live !== undefined) return next;
  const before = live === undefined ? blank : withoutManagedFields(live);
  try {
    const after = ownersAfterUpdate(owners, before, next, type, update);
    return withManagedFields(next, after);
  } catch (error) {
    if (error instanceof UntypedError) return next;
    throw error;
  }
};
