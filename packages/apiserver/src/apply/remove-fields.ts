import { type FieldSet, isEmptySet, isMember } from '@perigee/kubernetes/meta/field-set';
import type { JsonArray, JsonObject, JsonValue } from '@perigee/schema/json';
import { type MutableObject, setField } from '../patch/own-field.ts';
import { fieldTypeOf } from './field-type.ts';
import { itemElement } from './list-items.ts';
import { fieldElement } from './path-element.ts';
import { kindOf } from './value-kind.ts';
import type { ListType, MapType, ValueType } from './value-type.ts';

const remove = (value: JsonValue, set: FieldSet, type: ValueType): JsonValue => {
  const kind = kindOf(value, type);
  if (kind === 'scalar' || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return kind === 'list' && type.list !== undefined && type.list.relation !== 'atomic'
      ? removeItems(value, set, type.list)
      : null;
  }
  const map = value as JsonObject;
  return kind === 'map' && type.map !== undefined && !type.map.atomic
    ? removeKeys(map, set, type.map)
    : null;
};

const removeItems = (items: JsonArray, set: FieldSet, type: ListType): JsonValue => {
  const keptItems: JsonValue[] = [];
  let isChanged = false;
  for (const item of items) {
    const node = set[itemElement(item, type)];
    if (node !== undefined && isMember(node)) {
      isChanged = true;
      continue;
    }
    const remainingItem = node === undefined ? item : remove(item, node, type.item);
    isChanged ||= remainingItem !== item;
    keptItems.push(remainingItem);
  }
  if (keptItems.length === 0) return null;
  return isChanged ? keptItems : items;
};

const removeKeys = (map: JsonObject, set: FieldSet, type: MapType): JsonValue => {
  const keptFields: MutableObject = {};
  let isChanged = false;
  let count = 0;
  for (const key of Object.keys(map)) {
    const value = map[key];
    if (value === undefined) continue;
    const node = set[fieldElement(key)];
    if (node !== undefined && isMember(node)) {
      isChanged = true;
      continue;
    }
    const remainingValue = node === undefined ? value : remove(value, node, fieldTypeOf(type, key));
    isChanged ||= remainingValue !== value;
    setField(keptFields, key, remainingValue);
    count++;
  }
  if (count === 0) return null;
  return isChanged ? keptFields : map;
};

/**
 * Removes fields and list items from an object. A container that loses all its content, and is not removed itself,
 * becomes null, as on Kubernetes: a custom resource whose schema forbids null there is refused.
 */
export const removeFields = (object: JsonObject, set: FieldSet, type: ValueType): JsonObject => {
  if (isEmptySet(set)) return object;
  return (remove(object, set, type) ?? {}) as JsonObject;
};
