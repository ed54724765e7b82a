import {
  difference,
  type FieldSet,
  intersection,
  isEmptySet,
  union,
} from '@perigee/kubernetes/meta/field-set';
import type { JsonObject } from '@perigee/schema/json';
import { fieldSetOf } from './field-set-of.ts';
import { withNamedFields } from './named-fields.ts';
import { removeFields } from './remove-fields.ts';
import type { ValueType } from './value-type.ts';

/**
 * Removes the fields that a manager applied last time (`last`) and no longer applies, unless another manager owns
 * them (`owned` holds the fields of all, with those of the new config).
 */
export const pruneApplied = (
  merged: JsonObject,
  last: FieldSet,
  owned: FieldSet,
  type: ValueType,
): JsonObject => {
  if (isEmptySet(difference(last, owned))) return merged;
  const named = (set: FieldSet): FieldSet => withNamedFields(set, type);
  const present = named(fieldSetOf(merged, type));
  const bare = removeFields(merged, named(last), type);
  const kept = union(named(fieldSetOf(bare, type)), named(owned));
  const withOwned = removeFields(merged, difference(present, kept), type);
  const gone = difference(present, named(fieldSetOf(withOwned, type)));
  return removeFields(merged, intersection(gone, named(last)), type);
};
