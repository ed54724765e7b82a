import type { JsonValue } from '@perigee/schema/json';

/** Sets a field of an object under construction, including `__proto__`. */
export const setField = (
  object: { [name: string]: JsonValue },
  name: string,
  value: JsonValue,
): void => {
  if (name !== '__proto__') object[name] = value;
  else
    Object.defineProperty(object, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
};
