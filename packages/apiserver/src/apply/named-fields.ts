import {
  below,
  elementsOf,
  type FieldSet,
  isEmptySet,
  isMember,
  nodeOf,
} from '@perigee/kubernetes/meta/field-set';
import type { ValueType } from './value-type.ts';

const childType = (element: string, type: ValueType | undefined): ValueType | undefined => {
  if (element.startsWith('f:')) return type?.map?.field(element.slice(2));
  return element.startsWith('k:') ? type?.list?.item : undefined;
};

/**
 * Adds the fields on the paths to members that the schema declares: such a field exists for its content only, so it
 * belongs to the owner of all its content.
 */
export const withNamedFields = (set: FieldSet, type: ValueType | undefined): FieldSet => {
  const result: { [element: string]: FieldSet } = {};
  let isChanged = false;
  for (const element of elementsOf(set)) {
    const node = set[element] as FieldSet;
    const before = below(node);
    if (isEmptySet(before)) {
      result[element] = node;
      continue;
    }
    const isNamed = element.startsWith('f:') && type?.map?.declares(element.slice(2)) === true;
    const children = withNamedFields(before, childType(element, type));
    const member = isMember(node) || isNamed;
    if (children === before && member === isMember(node)) result[element] = node;
    else {
      isChanged = true;
      result[element] = nodeOf(member, children) ?? node;
    }
  }
  return isChanged ? result : set;
};
