import type { JsonObject, JsonValue } from '@perigee/api/json';

const sizeOf = (value: JsonValue | undefined, limit: number): number => {
  if (typeof value === 'string') {
    return value.length * 3 > limit ? Buffer.byteLength(value) + 2 : value.length + 2;
  }
  if (typeof value !== 'object' || value === null) return 5;
  let size = 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      size += sizeOf(item, limit - size) + 1;
      if (size > limit) break;
    }
    return size;
  }
  const object = value as JsonObject;
  for (const name in object) {
    const child = object[name];
    if (child === undefined) continue;
    size += name.length + 4 + sizeOf(child, limit - size);
    if (size > limit) break;
  }
  return size;
};

/**
 * Whether the value has more bytes as JSON. A quick count decides the clear cases; only what is near
 * the limit is written out.
 */
export const isLargerThan = (value: JsonValue, limit: number): boolean => {
  if (sizeOf(value, limit) <= limit / 8) return false;
  return Buffer.byteLength(JSON.stringify(value)) > limit;
};
