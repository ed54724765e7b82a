import { exactInteger } from '@perigee/schema/exact-json';
import type { JsonObject, JsonValue } from '@perigee/schema/json';

const OWN = { configurable: true, enumerable: true, writable: true };

interface Copied {
  readonly [key: string]: unknown;
  readonly toJSON?: unknown;
}

const copyList = (items: readonly unknown[]): readonly JsonValue[] => {
  const copy: JsonValue[] = [];
  for (let at = 0; at < items.length; at += 1) copy.push(jsonCopy(items[at]) ?? null);
  return copy;
};

const copyObject = (value: Copied): JsonObject => {
  const copy: { [key: string]: JsonValue } = {};
  const keys = Object.keys(value);
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at] as string;
    const fieldCopy = jsonCopy(value[key]);
    if (fieldCopy === undefined) continue;
    // An assignment would set the prototype of the copy.
    if (key === '__proto__') Object.defineProperty(copy, key, { ...OWN, value: fieldCopy });
    else copy[key] = fieldCopy;
  }
  return copy;
};

/**
 * A copy of a value, as JSON would serialise and parse it, so that later changes of the caller have no effect.
 * Every write of this process needs one, so it is written for speed.
 */
export const jsonCopy = (value: unknown): JsonValue | undefined => {
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
      if (Array.isArray(value)) return copyList(value);
      const { toJSON } = value as Copied;
      return typeof toJSON === 'function'
        ? jsonCopy(toJSON.call(value))
        : copyObject(value as Copied);
    }
    default:
      return undefined;
  }
};
