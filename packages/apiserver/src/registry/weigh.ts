import {
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '@perigee/schema/json';
import { tooMuch } from '../status/request-refusals.ts';
import { metaOf } from './metadata.ts';

/** Limit of items in maps and lists: every write visits all of them many times. */
const MOST_PARTS = 20_000;
const MOST_REFERENCES = 1_000;

const LISTS_OF_METADATA = ['finalizers', 'ownerReferences', 'managedFields'] as const;

const isList = (value: JsonValue | undefined): value is JsonArray => Array.isArray(value);

/** The place of the first map, or list of maps, that has too many parts. */
const heavyPlace = (value: JsonValue | undefined): readonly string[] | undefined => {
  if (isList(value)) {
    if (!isJsonObject(value[0]) && !isList(value[0])) return undefined;
    if (value.length > MOST_PARTS) return [];
    for (let index = 0; index < value.length; index++) {
      const place = heavyPlace(value[index]);
      if (place !== undefined) return [String(index), ...place];
    }
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  let parts = 0;
  for (const name in value) {
    parts += 1;
    if (parts > MOST_PARTS) return [];
    const part = value[name];
    // Names of fields may be as many as the fields, of which there were not too many.
    const place =
      typeof part === 'object' && name !== 'managedFields' ? heavyPlace(part) : undefined;
    if (place !== undefined) return [name, ...place];
  }
  return undefined;
};

const problemOf = (object: JsonObject): string | undefined => {
  const meta = isJsonObject(object.metadata) ? metaOf(object) : {};
  const long = LISTS_OF_METADATA.find((name) => {
    const list = meta[name] as JsonValue | undefined;
    return isList(list) && list.length > MOST_REFERENCES;
  });
  if (long !== undefined) return `metadata.${long} has more than ${MOST_REFERENCES} entries`;
  const place = heavyPlace(object);
  if (place === undefined) return undefined;
  return `${place.join('.') || 'it'} has more than ${MOST_PARTS} entries`;
};

/**
 * Refuses an object with too many parts, whose validation would delay other requests. A stored one may keep its
 * size, so that it can shrink or be deleted.
 */
export const weigh = (object: JsonObject, old?: JsonObject): void => {
  const problem = problemOf(object);
  if (problem === undefined || (old !== undefined && problemOf(old) !== undefined)) return;
  throw tooMuch(problem);
};
