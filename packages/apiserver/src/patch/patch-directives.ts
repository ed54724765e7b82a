import { isJsonObject, type JsonValue } from '@perigee/schema/json';
import { PatchError } from '../errors.ts';
import { type MutableObject, setField } from './own-field.ts';

/** A directive for an object, or for a list by one of its items. */
export const DIRECTIVE = '$patch';
/** Lists the fields of an object that survive. */
export const RETAIN_KEYS = '$retainKeys';
/** Before `/` and the name of a list of scalars: the items to take out. */
export const DELETE_LIST = '$deleteFromPrimitiveList';
/** Before `/` and the name of a list: the order its items shall have. */
export const ELEMENT_ORDER = '$setElementOrder';

/** The field that a directive in the form `$directive/field` speaks of. */
export const directiveTarget = (key: string, directive: string): string => {
  if (key.startsWith(`${directive}/`)) return key.slice(directive.length + 1);
  const list = directive === DELETE_LIST ? 'primitive list' : 'setElementOrder list';
  throw new PatchError(400, `invalid patch format of ${list}`);
};

/** Without objects that carry a directive, which have nothing to act on; undefined for such a one. */
export const withoutDirectives = (value: JsonValue): JsonValue | undefined => {
  if (Array.isArray(value)) {
    const items = value.flatMap((item: JsonValue) => {
      const plainItem = withoutDirectives(item);
      return plainItem === undefined ? [] : [plainItem];
    });
    return items.length === value.length && items.every((item, index) => item === value[index])
      ? value
      : items;
  }
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  return mapFields(value, withoutDirectives);
};

/** Without fields that are null: there is nothing for them to remove. */
export const withoutNulls = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) {
    const items = value.map(withoutNulls);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  return mapFields(value, (field) => (field === null ? undefined : withoutNulls(field)));
};

/** The same object when no field changes. */
const mapFields = (
  object: { readonly [key: string]: JsonValue | undefined },
  change: (field: JsonValue) => JsonValue | undefined,
): JsonValue => {
  let isChanged = false;
  const result: MutableObject = {};
  for (const key of Object.keys(object)) {
    const field = object[key];
    const nextField = field === undefined ? undefined : change(field);
    if (nextField !== undefined) setField(result, key, nextField);
    isChanged ||= nextField !== field;
  }
  return isChanged ? result : object;
};
