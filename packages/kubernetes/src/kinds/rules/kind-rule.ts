import type { FieldError } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';

/** The problems of an object that is to be created, or to replace `old` by a subresource. */
export type KindRule = (
  object: JsonObject,
  old?: JsonObject,
  subresource?: string,
) => readonly FieldError[];

export type KindRules = readonly (readonly [type: string, rule: KindRule])[];
