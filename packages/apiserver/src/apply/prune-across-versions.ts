import {
  difference,
  EMPTY_SET,
  type FieldSet,
  intersection,
  union,
} from '@perigee/kubernetes/meta/field-set';
import type { JsonObject } from '@perigee/schema/json';
import type { FieldOwner, FieldOwners } from './field-owner.ts';
import { fieldSetOf } from './field-set-of.ts';
import { withNamedFields } from './named-fields.ts';
import type { OtherVersions } from './other-versions.ts';
import { removeFields } from './remove-fields.ts';
import type { ValueType } from './value-type.ts';

const fieldsByVersion = (owners: FieldOwners): Map<string, FieldSet> => {
  const sets = new Map<string, FieldSet>();
  for (const { apiVersion, fields } of owners.values()) {
    sets.set(apiVersion, union(sets.get(apiVersion) ?? EMPTY_SET, fields));
  }
  return sets;
};

const namedFieldsOf = (object: JsonObject, type: ValueType): FieldSet =>
  withNamedFields(fieldSetOf(object, type), type);

/** The object without those of its fields that are in none of the sets. */
const onlyWith = (
  object: JsonObject,
  keptSets: readonly FieldSet[],
  type: ValueType,
  among?: FieldSet,
): JsonObject => {
  const rest = keptSets.reduce(difference, namedFieldsOf(object, type));
  const removedFields = among === undefined ? rest : intersection(rest, among);
  return removeFields(object, removedFields, type);
};

/**
 * Removes the fields that a manager applied last time and no longer applies, unless another manager owns them. A
 * set of fields is valid only in the version in which it was recorded, so the object is converted to each of them.
 * `owners` are all, with the manager and its present config.
 */
export const pruneAcrossVersions = (
  mergedObject: JsonObject,
  last: FieldOwner,
  owners: FieldOwners,
  apiVersion: string,
  { typeOf, convert }: OtherVersions,
): JsonObject => {
  const home = last.apiVersion;
  const type = typeOf(home);
  const start = convert(mergedObject, home);
  if (type === undefined || start === undefined) return mergedObject;
  const lastFields = withNamedFields(last.fields, type);
  const sets = fieldsByVersion(owners);
  const others = [...sets.keys()].filter((version) => version !== home);
  let whole = start;
  let prunedObject = removeFields(start, lastFields, type);
  for (const version of sets.has(home) ? [home, ...others] : others) {
    const there = typeOf(version);
    const [before, after] = [convert(whole, version), convert(prunedObject, version)];
    if (there === undefined || before === undefined || after === undefined) continue;
    const ownedFields = withNamedFields(sets.get(version) ?? EMPTY_SET, there);
    whole = before;
    prunedObject = onlyWith(before, [namedFieldsOf(after, there), ownedFields], there);
  }
  const back = convert(prunedObject, home) ?? start;
  const result = onlyWith(start, [namedFieldsOf(back, type)], type, lastFields);
  return convert(result, apiVersion) ?? mergedObject;
};
