import type { FieldError } from '@perigee/api/errors';
import type { JsonObject } from '@perigee/api/json';
import type { ServedResource } from '../resource/served-resource.ts';
import { formOf } from './object-form.ts';

const isBare = ({ message }: FieldError): boolean => message === 'Required value';

/** What is wrong with an object by its schema and by its kind; who knows more about a field tells it. */
export const objectProblems = (
  resource: ServedResource,
  object: JsonObject,
  old?: JsonObject,
  subresource?: string,
): readonly FieldError[] => {
  const byKind = resource.strategy.validate?.(object, old, subresource) ?? [];
  const bySchema = formOf(resource).validate(object, old);
  if (byKind.length === 0 || bySchema.length === 0) return [...bySchema, ...byKind];
  const told = new Set(byKind.map(({ field }) => field));
  return [...bySchema.filter((error) => !isBare(error) || !told.has(error.field)), ...byKind];
};
