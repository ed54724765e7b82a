import type { JsonObject } from '@perigee/schema/json';
import { compileDecoder } from '@perigee/schema/structural/decode';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';

const inAll = (schemas: { readonly [name: string]: StructuralSchema }) =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, bare(schema)]));

/** The schema without its defaults. */
const bare = ({ default: _, ...schema }: StructuralSchema): StructuralSchema => ({
  ...schema,
  ...(schema.properties === undefined ? {} : { properties: inAll(schema.properties) }),
  ...(schema.items === undefined ? {} : { items: bare(schema.items) }),
  ...(typeof schema.additionalProperties === 'object'
    ? { additionalProperties: bare(schema.additionalProperties) }
    : {}),
});

/** Drops what the schema does not know, and fills in nothing: an object that was converted is complete. */
export const pruneOnly = (schema: StructuralSchema): ((object: JsonObject) => JsonObject) => {
  const decode = compileDecoder(bare(schema));
  return (object) => decode(object).value;
};
