import { difference, type FieldSet, isEmptySet } from '@perigee/kubernetes/meta/field-set';
import { type FieldOwner, type FieldOwners, withFields } from './field-owner.ts';

/** Removes fields from all owners but one; an owner without fields is removed. */
export const disown = (owners: FieldOwners, fields: FieldSet, except?: string): FieldOwners => {
  const result = new Map<string, FieldOwner>();
  for (const [id, owner] of owners) {
    if (isEmptySet(owner.fields)) continue;
    const remainingOwner =
      id === except ? owner : withFields(owner, difference(owner.fields, fields));
    if (remainingOwner !== undefined) result.set(id, remainingOwner);
  }
  return result;
};
