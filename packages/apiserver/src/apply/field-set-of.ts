import { EMPTY_SET, type FieldSet, LEAF, nodeOf } from '@perigee/kubernetes/meta/field-set';
import type { JsonArray, JsonObject, JsonValue } from '@perigee/schema/json';
import { fieldTypeOf } from './field-type.ts';
import { itemsByElement } from './list-items.ts';
import { fieldElement } from './path-element.ts';
import { asList, asMap, isEmptyMap, kindOf } from './value-kind.ts';
import type { ListType, MapType, ValueType } from './value-type.ts';

/** Contribution of a value to the set of its parent: its members, and perhaps itself. */
interface Part {
  readonly member: boolean;
  readonly children: FieldSet;
}

const ALONE: Part = { member: true, children: EMPTY_SET };
const NOTHING: Part = { member: false, children: EMPTY_SET };

const partOf = (value: JsonValue, type: ValueType): Part => {
  const kind = kindOf(value, type);
  if (kind === 'map' && type.map !== undefined) {
    if (type.map.atomic) return ALONE;
    const map = asMap(value);
    return map === undefined ? NOTHING : { member: false, children: setOfMap(map, type.map) };
  }
  if (kind === 'list' && type.list !== undefined) {
    if (type.list.relation === 'atomic') return ALONE;
    const list = asList(value);
    return list === undefined ? NOTHING : { member: false, children: setOfList(list, type.list) };
  }
  return ALONE;
};

const setOfMap = (map: JsonObject, type: MapType): FieldSet => {
  const set: { [element: string]: FieldSet } = {};
  for (const key of Object.keys(map)) {
    const value = map[key];
    if (value === undefined) continue;
    const { member, children } = partOf(value, fieldTypeOf(type, key));
    const isBlank =
      value === null || (asMap(value) !== undefined && isEmptyMap(value as JsonObject));
    const node = nodeOf(member || isBlank || !type.declares(key), children);
    if (node !== undefined) set[fieldElement(key)] = node;
  }
  return set;
};

const setOfList = (items: JsonArray, type: ListType): FieldSet => {
  const set: { [element: string]: FieldSet } = {};
  for (const [element, [item, ...duplicates]] of itemsByElement(items, type)) {
    // Duplicates are owned as one, since their fields have the same paths.
    const isSingle = item !== undefined && duplicates.length === 0;
    set[element] = (isSingle && nodeOf(true, partOf(item, type.item).children)) || LEAF;
  }
  return set;
};

/** Every field that a value mentions. */
export const fieldSetOf = (value: JsonValue, type: ValueType): FieldSet =>
  partOf(value, type).children;
