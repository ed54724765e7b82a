import { type FieldError, required } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import type { ServedResource } from '../resource/served-resource.ts';
import { formOf } from './object-form.ts';
import { scaleProblems } from './scale.ts';

const TOLD_BETTER: readonly string[] = ['FieldValueRequired', 'FieldValueNotSupported'];

const keyOf = ({ reason, field }: FieldError): string => `${reason} ${field}`;

/** The field, whichever of a list it is in. */
const ofAny = (field: string): string => field.replace(/\[\d+\]/g, '[]');

/** Problems of an object by its schema and by its kind, which may explain better why it needs a field. */
export const objectProblems = (
  resource: ServedResource,
  object: JsonObject,
  old?: JsonObject,
  subresource?: string,
): readonly FieldError[] => {
  const byKind = resource.strategy.validate?.(object, old, subresource) ?? [];
  const bySchema = [...formOf(resource).validate(object, old), ...scaleProblems(resource, object)];
  if (bySchema.length === 0) return byKind;
  const dispensable = (resource.strategy.dispensable ?? []).map((field) => required(field));
  const settledFields = old === undefined ? [] : (resource.strategy.settled ?? []);
  const reportedKeys = new Set([...byKind, ...dispensable].map(keyOf));
  const isReported = (error: FieldError): boolean =>
    TOLD_BETTER.includes(error.reason) &&
    (reportedKeys.has(keyOf(error)) ||
      reportedKeys.has(keyOf({ ...error, field: ofAny(error.field) })));
  const isAsked = (error: FieldError): boolean =>
    !isReported(error) && !settledFields.includes(error.field);
  return [...bySchema.filter(isAsked), ...byKind];
};
