import { duplicate, invalid } from '../errors.ts';
import { goJson } from '../go-text.ts';
import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../json.ts';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import { compileVisit, type Visit } from '../structural/visit.ts';
import { renderPath, type Walk } from '../structural/walk.ts';

/** Identity of a value: itself for a scalar, its text for anything else, undefined for no value. */
const identityOf = (value: JsonValue | undefined): JsonValue | undefined =>
  typeof value === 'object' ? `json ${goJson(value)}` : value;

/** Calls back with the index of an identity that was there before; once for each identity. */
const forEachDuplicate = (
  identities: readonly (JsonValue | undefined)[],
  onDuplicate: (index: number) => void,
): void => {
  const repetitions = new Map<JsonValue | undefined, boolean>();
  for (let index = 0; index < identities.length; index++) {
    const identity = identities[index];
    const wasReported = repetitions.get(identity);
    if (wasReported === false) onDuplicate(index);
    repetitions.set(identity, wasReported !== undefined);
  }
};

const at = (walk: Walk, index: number): string => `${renderPath(walk.path)}[${index}]`;

const setVisit: Visit = (value, walk) => {
  if (!Array.isArray(value) || value.length < 2) return;
  forEachDuplicate(value.map(identityOf), (index) => {
    walk.errors.push(duplicate(at(walk, index), value[index]));
  });
};

const fieldOf = (item: JsonValue, key: string): JsonValue | undefined =>
  isJsonObject(item) && Object.hasOwn(item, key) ? item[key] : undefined;

/** The key fields of an element. */
const keysOf = (item: JsonValue, keys: readonly string[]): JsonObject => {
  const present = keys.filter((key) => fieldOf(item, key) !== undefined);
  return Object.fromEntries(present.map((key) => [key, fieldOf(item, key)]));
};

const mapIdentities = (list: JsonArray, keys: readonly string[]) => {
  const [key, ...others] = keys;
  return key !== undefined && others.length === 0
    ? list.map((item) => identityOf(fieldOf(item, key)))
    : list.map((item) => goJson(keysOf(item, keys)));
};

const mapVisit =
  (keys: readonly string[]): Visit =>
  (value, walk) => {
    if (!Array.isArray(value)) return;
    const misfit = value.findIndex((item) => item !== null && !isJsonObject(item));
    if (misfit >= 0) {
      const detail = 'must be an object for an array of list-type map';
      walk.errors.push(invalid(at(walk, misfit), value[misfit], detail));
      return;
    }
    if (value.length < 2) return;
    forEachDuplicate(mapIdentities(value, keys), (index) => {
      walk.errors.push(duplicate(at(walk, index), keysOf(value[index] ?? null, keys)));
    });
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
