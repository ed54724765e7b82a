import type { JsonArray, JsonObject, JsonValue } from '@perigee/api/json';
import { type MutableObject, setField } from '../patch/own-field.ts';
import { type FieldSet, isEmptySet, isMember } from './field-set.ts';
import { fieldTypeOf } from './field-type.ts';
import { itemElement } from './list-items.ts';
import { fieldElement } from './path-element.ts';
import { kindOf } from './value-kind.ts';
import type { ListType, MapType, ValueType } from './value-type.ts';

/** What becomes of a container that loses all it has, and is not to go itself. */
export type Hollow = 'null' | 'absent';

class Remover {
  readonly #hollow: null | undefined;

  constructor(hollow: Hollow) {
    this.#hollow = hollow === 'null' ? null : undefined;
  }

  /** Undefined when the value is to go. */
  remove(value: JsonValue, set: FieldSet, type: ValueType): JsonValue | undefined {
    const kind = kindOf(value, type);
    if (kind === 'scalar' || typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      return kind === 'list' && type.list !== undefined && type.list.relation !== 'atomic'
        ? this.#removeItems(value, set, type.list)
        : this.#hollow;
    }
    const map = value as JsonObject;
    return kind === 'map' && type.map !== undefined && !type.map.atomic
      ? this.#removeKeys(map, set, type.map)
      : this.#hollow;
  }

  #removeItems(items: JsonArray, set: FieldSet, type: ListType): JsonValue | undefined {
    const kept: JsonValue[] = [];
    let changed = false;
    for (const item of items) {
      const node = set[itemElement(item, type)];
      if (node !== undefined && isMember(node)) {
        changed = true;
        continue;
      }
      const left = node === undefined ? item : this.remove(item, node, type.item);
      changed ||= left !== item;
      if (left !== undefined) kept.push(left);
    }
    if (kept.length === 0) return this.#hollow;
    return changed ? kept : items;
  }

  #removeKeys(map: JsonObject, set: FieldSet, type: MapType): JsonValue | undefined {
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
      const left = node === undefined ? value : this.remove(value, node, fieldTypeOf(type, key));
      changed ||= left !== value;
      if (left === undefined) continue;
      setField(kept, key, left);
      count++;
    }
    if (count === 0) return this.#hollow;
    return changed ? kept : map;
  }
}

/** Takes fields and list items out of an object. */
export const removeFields = (
  object: JsonObject,
  set: FieldSet,
  type: ValueType,
  hollow: Hollow,
): JsonObject => {
  if (isEmptySet(set)) return object;
  return (new Remover(hollow).remove(object, set, type) ?? {}) as JsonObject;
};
