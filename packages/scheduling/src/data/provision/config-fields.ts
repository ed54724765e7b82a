import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { parseDuration } from '@perigee/schema/values/duration';
import { ConfigFieldError } from '../../errors.ts';

/** The value of the last word of a path, which messages contain in full. */
const lastOf = (object: JsonObject, path: string) => object[path.slice(path.lastIndexOf('.') + 1)];

export const objectAt = (object: JsonObject, path: string): JsonObject => {
  const value = lastOf(object, path) ?? {};
  if (!isJsonObject(value)) throw new ConfigFieldError(`${path} must be an object`);
  return value;
};

export const textAt = (object: JsonObject, path: string): string => {
  const value = lastOf(object, path) ?? '';
  if (typeof value !== 'string') throw new ConfigFieldError(`${path} must be text`);
  return value;
};

export const flagAt = (object: JsonObject, path: string): boolean => {
  const value = lastOf(object, path) ?? false;
  if (typeof value !== 'boolean') throw new ConfigFieldError(`${path} must be true or false`);
  return value;
};

export const numberAt = (
  object: JsonObject,
  path: string,
  { least, most, otherwise }: { least: number; most: number; otherwise: number },
): number => {
  const value = lastOf(object, path) ?? otherwise;
  if (typeof value !== 'number' || value < least || value > most) {
    throw new ConfigFieldError(`${path} must be a number from ${least} to ${most}`);
  }
  return value;
};

export const durationAt = (object: JsonObject, path: string, otherwise: string): number => {
  const text = textAt(object, path) || otherwise;
  try {
    const ms = parseDuration(text);
    if (ms > 0) return ms;
  } catch {
    // Falls through to the error below.
  }
  throw new ConfigFieldError(
    `${path} must be a duration, such as 30s, not ${JSON.stringify(text)}`,
  );
};

export const parse = (text: string): JsonObject => {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Falls through to the error below: the parser's message quotes the text, which may hold a
    // password.
  }
  throw new ConfigFieldError('it is not a JSON object');
};
