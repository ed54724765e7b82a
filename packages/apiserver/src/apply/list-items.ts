import { isJsonObject, type JsonValue } from '@perigee/schema/json';
import { UntypedError } from '../errors.ts';
import { keyElement, valueElement } from './path-element.ts';
import type { ListType } from './value-type.ts';

const keyOf = (item: JsonValue, { keys }: ListType): string => {
  if (item === null) {
    throw new UntypedError('associative list with keys may not have a null element');
  }
  if (!isJsonObject(item)) {
    throw new UntypedError('associative list with keys may not have non-map elements');
  }
  const keyFields: (readonly [string, JsonValue])[] = [];
  for (const key of keys) {
    const value = item[key.name] ?? (Object.hasOwn(item, key.name) ? null : key.default);
    if (value !== undefined) keyFields.push([key.name, value]);
  }
  if (keys.length > 0 && keyFields.length === 0) {
    const names = keys.map(({ name }) => JSON.stringify(name)).join(' ');
    throw new UntypedError(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(keyFields);
};

/** The path element of an item of a list that is a set or a map. */
export const itemElement = (item: JsonValue, list: ListType): string => {
  if (list.relation === 'map') return keyOf(item, list);
  if (item === null) {
    throw new UntypedError("associative list without keys has an element that's an explicit null");
  }
  if (typeof item === 'object') {
    throw new UntypedError(
      Array.isArray(item)
        ? 'not supported: associative list with lists as elements'
        : "associative list without keys has an element that's a map type",
    );
  }
  return valueElement(item);
};

/** The items of a list by their path elements; more than one under an element are duplicates. */
export const itemsByElement = (
  items: readonly JsonValue[],
  list: ListType,
): ReadonlyMap<string, readonly JsonValue[]> => {
  const result = new Map<string, JsonValue[]>();
  for (const item of items) {
    const element = itemElement(item, list);
    const others = result.get(element);
    if (others === undefined) result.set(element, [item]);
    else others.push(item);
  }
  return result;
};
