import { type FieldSet, insertPath, recursiveDifference } from '@perigee/kubernetes/meta/field-set';
import type { JsonArray, JsonObject, JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { fieldTypeOf } from './field-type.ts';
import { itemsByElement } from './list-items.ts';
import { fieldElement } from './path-element.ts';
import { asList, asMap, isEmptyMap, kindOf, type ValueKind } from './value-kind.ts';
import type { ListType, MapType, ValueType } from './value-type.ts';

/** The difference between two values. No path is in two of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

type Value = JsonValue | undefined;
type Builder = { [element: string]: FieldSet };

class Comparer {
  readonly added: Builder = {};
  readonly modified: Builder = {};
  readonly removed: Builder = {};
  readonly #path: string[] = [];

  /** Equal references are equal values: unchanged parts of an object cost nothing. */
  compare(old: Value, next: Value, type: ValueType): void {
    if (old === next) return;
    const before = kindOf(old, type);
    const after = kindOf(next, type);
    let isLeaf: boolean;
    if (next === undefined) isLeaf = this.#compareAs(before, old, next, type);
    else {
      if (old !== undefined && before !== after) this.#compareAs(before, old, next, type);
      isLeaf = this.#compareAs(after, old, next, type);
    }
    if (isLeaf) return;
    if (old === undefined) insertPath(this.added, this.#path);
    else if (next === undefined) insertPath(this.removed, this.#path);
  }

  /** True if the values were compared as one, not part by part. */
  #compareAs(kind: ValueKind, old: Value, next: Value, { map, list }: ValueType): boolean {
    if (kind === 'map' && map !== undefined) {
      const [a, b] = [asMap(old), asMap(next)];
      const isEmpty = (a === undefined || isEmptyMap(a)) && (b === undefined || isEmptyMap(b));
      if (map.atomic || isEmpty) return this.#compareLeaf(old, next);
      this.#compareMaps(a ?? {}, b ?? {}, map);
      return false;
    }
    if (kind === 'list' && list !== undefined) {
      const [a, b] = [asList(old) ?? [], asList(next) ?? []];
      if (list.relation === 'atomic' || (a.length === 0 && b.length === 0)) {
        return this.#compareLeaf(old, next);
      }
      // Cheaper than to name every item, and most lists of a replaced object are as before.
      if (!sameJson(a, b)) this.#compareLists(a, b, list);
      return false;
    }
    return this.#compareLeaf(old, next);
  }

  #compareLeaf(old: Value, next: Value): true {
    if (old === undefined) insertPath(this.added, this.#path);
    else if (next === undefined) insertPath(this.removed, this.#path);
    else if (!sameJson(old, next)) insertPath(this.modified, this.#path);
    return true;
  }

  #compareMaps(old: JsonObject, next: JsonObject, map: MapType): void {
    for (const key of Object.keys(old)) {
      const after = Object.hasOwn(next, key) ? next[key] : undefined;
      if (old[key] === after) continue;
      this.#compareAt(fieldElement(key), old[key], after, () => fieldTypeOf(map, key));
    }
    for (const key of Object.keys(next)) {
      if (Object.hasOwn(old, key) && old[key] !== undefined) continue;
      this.#compareAt(fieldElement(key), undefined, next[key], () => fieldTypeOf(map, key));
    }
  }

  #compareLists(old: JsonArray, next: JsonArray, list: ListType): void {
    const before = itemsByElement(old, list);
    const after = itemsByElement(next, list);
    const typeOfItem = (): ValueType => list.item;
    for (const element of new Set([...before.keys(), ...after.keys()])) {
      const a = before.get(element) ?? [];
      const b = after.get(element) ?? [];
      if (a.length <= 1 && b.length <= 1) this.#compareAt(element, a[0], b[0], typeOfItem);
      else if (a.length >= 2 && b.length >= 2) {
        if (!sameJson(a, b)) insertPath(this.modified, [...this.#path, element]);
      } else if (a.length >= 2) {
        this.#compareAt(element, undefined, b[0], typeOfItem);
        insertPath(this.removed, [...this.#path, element]);
      } else {
        this.#compareAt(element, a[0], undefined, typeOfItem);
        insertPath(this.added, [...this.#path, element]);
      }
    }
  }

  #compareAt(element: string, old: Value, next: Value, type: () => ValueType): void {
    if (old === next) return;
    this.#path.push(element);
    this.compare(old, next, type());
    this.#path.pop();
  }
}

/** Compares two values field by field, as the schema defines fields. */
export const compare = (old: JsonValue, next: JsonValue, type: ValueType): Comparison => {
  const comparer = new Comparer();
  comparer.compare(old, next, type);
  return comparer;
};

/** Leaves out the fields that are not the writer's to set. */
export const withoutFields = (changes: Comparison, fields: FieldSet): Comparison => ({
  added: recursiveDifference(changes.added, fields),
  modified: recursiveDifference(changes.modified, fields),
  removed: recursiveDifference(changes.removed, fields),
});
