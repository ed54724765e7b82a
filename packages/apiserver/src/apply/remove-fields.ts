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
  const kept: JsonValue[] = [];
  let changed = false;
  for (const item of items) {
    const node = set[itemElement(item, type)];
    if (node !== undefined && isMember(node)) {
      changed = true;
      continue;
    }
    const left = node === undefined ? item : remove(item, node, type.item);
    changed ||= left !== item;
    kept.push(left);
  }
  if (kept.length === 0) return null;
  return changed ? kept : items;
};

const removeKeys = (map: JsonObject, set: FieldSet, type: MapType): JsonValue => {
  const kept: MutableObject = {};
  let changed = false;
  let count = 0;
  for (const key of Object.keys(map)) {
    const value = map[key];
    if (value === undefined) continue;
    const node = set[fieldElement(key)];
    if (node !== undefined && isMember(node)) {
      changed = true;
      continue;
    }
    const left = node === undefined ? value : remove(value, node, fieldTypeOf(type, key));
    changed ||= left !== value;
    setField(kept, key, left);
    count++;
  }
  if (count === 0) return null;
  return changed ? kept : map;
};

/**
 * Removes fields and list items from an object. A container that loses all its content, and is not removed itself,
 * becomes null, as on Kubernetes: a custom resource whose schema forbids null there is refused.
 */
export const removeFields = (object: JsonObject, set: FieldSet, type: ValueType): JsonObject => {
  if (isEmptySet(set)) return object;
  return (remove(object, set, type) ?? {}) as JsonObject;
};
