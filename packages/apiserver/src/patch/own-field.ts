import type { JsonObject, JsonValue } from '@perigee/schema/json';

/** A JSON object under construction. */
export type MutableObject = { [key: string]: JsonValue | undefined };

/** The field of an object itself; what every object inherits (`constructor`, `__proto__`) is no field. */
export const ownField = (object: JsonObject, key: string): JsonValue | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** Sets a field as data, with any name: a plain assignment to `__proto__` would change the prototype. */
export const setField = (object: MutableObject, key: string, value: JsonValue): void => {
  if (key === '__proto__') {
    Object.defineProperty(object, key, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    });
  } else object[key] = value;
};
