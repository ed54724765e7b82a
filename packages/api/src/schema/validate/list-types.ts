import { duplicate, invalid } from '../../errors.ts';
import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../../json.ts';
import { goJson } from '../go-text.ts';
import type { StructuralSchema } from '../structural.ts';
import { compileVisit, type Visit } from './visit.ts';
import { renderPath, type Walk } from './walk.ts';

/** Calls back with the index of each value that was there before; once for each value. */
const forEachDuplicate = (values: JsonArray, found: (index: number) => void): void => {
  const seen = new Map<JsonValue, number>();
  for (const [index, value] of values.entries()) {
    const identity = typeof value === 'object' ? goJson(value) : value;
    const key = typeof value === 'object' ? `json ${identity}` : identity;
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    if (times === 2) found(index);
  }
};

const at = (walk: Walk, index: number): string => `${renderPath(walk.path)}[${index}]`;

const setVisit: Visit = (value, walk) => {
  if (!Array.isArray(value) || value.length < 2) return;
  forEachDuplicate(value, (index) => {
    walk.errors.push(duplicate(at(walk, index), value[index]));
  });
};

const mapVisit = (keys: readonly string[]): Visit => {
  const keysOf = (item: JsonValue): JsonObject =>
    isJsonObject(item)
      ? Object.fromEntries(
          keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key]]),
        )
      : {};
  return (value, walk) => {
    if (!Array.isArray(value)) return;
    const stranger = value.findIndex((item) => item !== null && !isJsonObject(item));
    if (stranger >= 0) {
      const detail = 'must be an object for an array of list-type map';
      walk.errors.push(invalid(at(walk, stranger), value[stranger], detail));
      return;
    }
    if (value.length < 2) return;
    const identities = value.map(keysOf);
    forEachDuplicate(identities, (index) => {
      walk.errors.push(duplicate(at(walk, index), identities[index]));
    });
  };
};

const listVisit = (schema: StructuralSchema): Visit | undefined => {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return setVisit;
    case 'map':
      return mapVisit(schema['x-kubernetes-list-map-keys'] ?? []);
    default:
      return undefined;
  }
};

/** Checks that the elements of sets, and the keys of lists that are maps, do not repeat. */
export const compileListTypes = (schema: StructuralSchema): Visit | undefined =>
  compileVisit(schema, listVisit);
