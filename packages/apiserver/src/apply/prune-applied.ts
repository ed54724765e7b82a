import type { JsonObject } from '@perigee/api/json';
import { difference, type FieldSet, intersection, isEmptySet, union } from './field-set.ts';
import { fieldSetOf } from './field-set-of.ts';
import { withNamedFields } from './named-fields.ts';
import { removeFields } from './remove-fields.ts';
import type { ValueType } from './value-type.ts';

/** A pruned object. */
export interface Pruned {
  /** As its fields are told: a container that lost all it had is null, which is a field. */
  readonly compared: JsonObject;
  /** As it is to be stored: without such a null, which no schema allows. */
  readonly stored: JsonObject;
}

/**
 * Removes what a manager applied last time (`last`) and no longer applies, unless somebody owns it now
 * (`owned` holds the fields of all, with those of the new config).
 */
export const pruneApplied = (
  merged: JsonObject,
  last: FieldSet,
  owned: FieldSet,
  type: ValueType,
): Pruned => {
  if (isEmptySet(difference(last, owned))) return { compared: merged, stored: merged };
  const named = (set: FieldSet): FieldSet => withNamedFields(set, type);
  const present = named(fieldSetOf(merged, type));
  const bare = removeFields(merged, named(last), type, 'null');
  const kept = union(named(fieldSetOf(bare, type)), named(owned));
  const withOwned = removeFields(merged, difference(present, kept), type, 'null');
  const gone = difference(present, named(fieldSetOf(withOwned, type)));
  const dropped = intersection(gone, named(last));
  return {
    compared: removeFields(merged, dropped, type, 'null'),
    stored: removeFields(merged, dropped, type, 'absent'),
  };
};
