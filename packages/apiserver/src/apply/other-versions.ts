import { difference, type FieldSet, union } from '@perigee/kubernetes/meta/field-set';
import type { JsonObject } from '@perigee/schema/json';
import { type Comparison, compare } from './compare.ts';
import { type FieldOwner, type FieldOwners, withFields } from './field-owner.ts';
import type { ValueType } from './value-type.ts';

/** Converts an object into the versions of its field owners. */
export interface OtherVersions {
  readonly typeOf: (apiVersion: string) => ValueType | undefined;
  /** Undefined when there is no such version. */
  readonly convert: (object: JsonObject, apiVersion: string) => JsonObject | undefined;
}

/** The owners by whether they know the object in the version of a write; all do when there is one only. */
export const byVersion = (
  owners: FieldOwners,
  apiVersion: string,
  versions: OtherVersions | undefined,
): { readonly here: FieldOwners; readonly elsewhere: FieldOwners } => {
  const isElsewhere = (owner: FieldOwner): boolean => owner.apiVersion !== apiVersion;
  const all = [...owners];
  if (versions === undefined || !all.some(([, owner]) => isElsewhere(owner))) {
    return { here: owners, elsewhere: new Map() };
  }
  return {
    here: new Map(all.filter(([, owner]) => !isElsewhere(owner))),
    elsewhere: new Map(all.filter(([, owner]) => isElsewhere(owner))),
  };
};

/** Effects of a change on an owner whose fields are in another version. */
export interface Elsewhere {
  readonly id: string;
  readonly owner: FieldOwner;
  /** The fields of its version that the change modified or added. */
  readonly touchedFields: FieldSet;
  /** The owner of what did not change; undefined when that is nothing. */
  readonly remainingOwner: FieldOwner | undefined;
}

/**
 * Computes the effects of a change on owners in other versions. An owner whose version is no longer served is
 * removed.
 */
export const effectsElsewhere = (
  owners: FieldOwners,
  live: JsonObject,
  next: JsonObject,
  versions: OtherVersions | undefined,
): readonly Elsewhere[] => {
  const comparisons = new Map<string, Comparison | undefined>();
  const changesIn = (apiVersion: string): Comparison | undefined => {
    if (comparisons.has(apiVersion)) return comparisons.get(apiVersion);
    const type = versions?.typeOf(apiVersion);
    const before = versions?.convert(live, apiVersion);
    const after = versions?.convert(next, apiVersion);
    const changes = type && before && after ? compare(before, after, type) : undefined;
    comparisons.set(apiVersion, changes);
    return changes;
  };
  return [...owners].flatMap(([id, owner]) => {
    const changes = changesIn(owner.apiVersion);
    if (changes === undefined) return [];
    const touchedFields = union(changes.modified, changes.added);
    const lostFields = union(touchedFields, changes.removed);
    return [
      {
        id,
        owner,
        touchedFields,
        remainingOwner: withFields(owner, difference(owner.fields, lostFields)),
      },
    ];
  });
};
