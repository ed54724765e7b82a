import type { JsonObject } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import type { NamedSchema } from '../profile/profile-names.ts';

/** Keywords that mean the same in JSON Schema and in the structural schemas of Kubernetes. */
const SHARED = [
  'type',
  'format',
  'description',
  'enum',
  'default',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'anyOf',
] as const satisfies readonly (keyof StructuralSchema)[];

/** A CEL rule that JSON Schema can express as a `pattern`. */
const MATCHES = /^self\.matches\('([^'\\]*)'\)$/;

/** The `pattern` of a text whose only rule matches a regular expression. */
const patternIn = ({ 'x-kubernetes-validations': rules = [] }: StructuralSchema): JsonObject => {
  const [pattern] = rules.flatMap(({ rule }) => MATCHES.exec(rule)?.[1] ?? []);
  return present({ pattern });
};

const sharedBy = (schema: StructuralSchema): JsonObject => {
  const names = SHARED.filter((keyword) => schema[keyword] !== undefined);
  const keywords = Object.fromEntries(names.map((keyword) => [keyword, schema[keyword]]));
  return { ...patternIn(schema), ...(keywords as JsonObject) };
};

/** Converts the schema of a part of the record to JSON Schema, with the field names of a profile. */
export const jsonSchemaOf = ({ schema, fields, items }: NamedSchema): JsonObject => {
  const { required = [], additionalProperties } = schema;
  const names = new Map([...fields].map(([name, { shownAs }]) => [name, shownAs]));
  const properties = [...fields.values()].map(({ shownAs, node }) => [shownAs, jsonSchemaOf(node)]);
  return {
    ...sharedBy(schema),
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...present({
      required: unlessEmpty(required.map((name) => names.get(name) ?? name)),
      items: items && jsonSchemaOf(items),
      additionalProperties:
        typeof additionalProperties === 'object' ? sharedBy(additionalProperties) : undefined,
    }),
  };
};
