import { exactInteger } from '@perigee/schema/exact-json';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';

const OWN = { configurable: true, enumerable: true, writable: true };

interface Copied {
  readonly [key: string]: unknown;
  readonly toJSON?: unknown;
}

type Known = JsonValue | undefined;

const copyList = (items: readonly unknown[], known: Known): readonly JsonValue[] => {
  const knownItems = Array.isArray(known) ? known : undefined;
  let copy: JsonValue[] | undefined = knownItems?.length === items.length ? undefined : [];
  for (let at = 0; at < items.length; at += 1) {
    const item = jsonCopy(items[at], knownItems?.[at]) ?? null;
    if (copy === undefined && item !== knownItems?.[at]) copy = knownItems?.slice(0, at) ?? [];
    copy?.push(item);
  }
  return copy ?? knownItems ?? [];
};

type Fields = { [key: string]: JsonValue };

const setField = (copy: Fields, key: string, value: JsonValue): void => {
  // An assignment would set the prototype of the copy.
  if (key === '__proto__') Object.defineProperty(copy, key, { ...OWN, value });
  else copy[key] = value;
};

const copyObject = (value: Copied, known: Known): JsonObject => {
  const keys = Object.keys(value);
  const knownFields = isJsonObject(known) ? known : undefined;
  const knownKeys = knownFields && Object.keys(knownFields);
  let copy: Fields | undefined = knownKeys?.length === keys.length ? undefined : {};
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at] as string;
    const knownField =
      knownFields && Object.hasOwn(knownFields, key) ? knownFields[key] : undefined;
    const field = jsonCopy(value[key], knownField);
    if (copy === undefined && (field !== knownField || knownKeys?.[at] !== key)) {
      copy = {};
      for (let before = 0; before < at; before += 1) {
        const name = keys[before] as string;
        setField(copy, name, knownFields?.[name] as JsonValue);
      }
    }
    if (copy !== undefined && field !== undefined) setField(copy, key, field);
  }
  return copy ?? knownFields ?? {};
};

/**
 * A copy of a value, as JSON would serialise and parse it, so that later changes of the caller have no effect.
 * Every write of this process needs one, so it is written for speed. Parts that are as in a known value, which never
 * changes, are those of that value: nothing that follows looks at them again.
 */
export const jsonCopy = (value: unknown, known?: Known): JsonValue | undefined => {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'bigint':
      return exactInteger(value);
    case 'number':
      // JSON has neither infinities nor a negative zero.
      return Number.isFinite(value) ? value + 0 : null;
    case 'object': {
      if (value === null) return null;
      if (value === known) return known;
      if (Array.isArray(value)) return copyList(value, known);
      const { toJSON } = value as Copied;
      return typeof toJSON === 'function'
        ? jsonCopy(toJSON.call(value), known)
        : copyObject(value as Copied, known);
    }
    default:
      return undefined;
  }
};
