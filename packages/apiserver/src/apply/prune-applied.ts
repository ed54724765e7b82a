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
  mergedObject: JsonObject,
  last: FieldSet,
  owned: FieldSet,
  type: ValueType,
): JsonObject => {
  if (isEmptySet(difference(last, owned))) return mergedObject;
  const withNames = (set: FieldSet): FieldSet => withNamedFields(set, type);
  const present = withNames(fieldSetOf(mergedObject, type));
  const bareObject = removeFields(mergedObject, withNames(last), type);
  const keptFields = union(withNames(fieldSetOf(bareObject, type)), withNames(owned));
  const withOwned = removeFields(mergedObject, difference(present, keptFields), type);
  const removedFields = difference(present, withNames(fieldSetOf(withOwned, type)));
  return removeFields(mergedObject, intersection(removedFields, withNames(last)), type);
};
