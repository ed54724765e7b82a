import { type FieldSet, isEmptySet, LEAF, SELF } from '@perigee/kubernetes/meta/field-set';
import type { ValueType } from './value-type.ts';

const isAtomic = ({ map, scalar, list }: ValueType): boolean =>
  map !== undefined ? map.atomic : scalar === undefined && list?.relation === 'atomic';

const typeBelow = ({ map, scalar, list }: ValueType, element: string): ValueType | undefined => {
  if (map !== undefined) return element.startsWith('f:') ? map.field(element.slice(2)) : undefined;
  return scalar === undefined ? list?.item : undefined;
};

const fitNode = (node: FieldSet, type: ValueType): FieldSet => {
  if (isEmptySet(node)) return node;
  return isAtomic(type) ? LEAF : fitChildren(node, type);
};

const fitChildren = (set: FieldSet, type: ValueType): FieldSet => {
  let result: { [element: string]: FieldSet } | undefined;
  for (const element in set) {
    if (element === SELF) continue;
    const node = set[element] as FieldSet;
    const below = typeBelow(type, element);
    const fittedNode = below === undefined ? node : fitNode(node, below);
    if (fittedNode === node) continue;
    result ??= { ...set };
    result[element] = fittedNode;
  }
  return result ?? set;
};

const fittedTo = new WeakMap<FieldSet, ValueType>();

/**
 * Updates a set that was recorded under another schema: an owner of parts of a value that is now atomic owns the
 * whole value.
 */
export const fitToType = (set: FieldSet, type: ValueType): FieldSet => {
  if (fittedTo.get(set) === type) return set;
  const fittedSet = fitChildren(set, type);
  fittedTo.set(fittedSet, type);
  return fittedSet;
};
