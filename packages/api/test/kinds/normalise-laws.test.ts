import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidObjectError } from '@perigee/schema/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import fc from 'fast-check';
import { normalise } from '../../src/kind/normalise.ts';
import { allKinds } from '../../src/kinds/all-kinds.ts';

const RUNS = 300;

/** Values that are no valid input, among them an object that cannot even become a string. */
const odd: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue[]>(null, [], {}, [null], 0, '', false, { toString: 0, valueOf: 0 }),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>,
);

const text = fc.constantFrom('', 'a', 'b', 'default', '0', '4Gi', '500m', '10%', '/data', 'a:1');
const number = fc.constantFrom(0, 1, 2, 3, 600, -1, 0.5);

const someFields = (fields: { [name: string]: fc.Arbitrary<JsonValue> }) =>
  fc.record(fields, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<JsonValue>;

const wellTyped = (schema: StructuralSchema): fc.Arbitrary<JsonValue> => {
  const { type, enum: words, properties, additionalProperties: values, items } = schema;
  if (words) return fc.constantFrom(...(words as JsonValue[]));
  if (items) return fc.array(shaped(items), { maxLength: 3 }) as fc.Arbitrary<JsonValue>;
  if (properties) {
    return someFields(
      Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, shaped(field)])),
    );
  }
  if (typeof values === 'object') {
    return fc.dictionary(text, shaped(values), {
      maxKeys: 3,
      noNullPrototype: true,
    }) as fc.Arbitrary<JsonValue>;
  }
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer' || type === 'number') return number;
  return type === 'string' ? text : fc.oneof(text, number, odd);
};

/** JSON that mostly follows the schema, so that a normaliser is led deep into it, and sometimes does not. */
const shaped = (schema: StructuralSchema): fc.Arbitrary<JsonValue> =>
  fc.oneof({ weight: 6, arbitrary: wellTyped(schema) }, { weight: 1, arbitrary: odd });

const metadata = shaped({
  properties: {
    name: { type: 'string' },
    namespace: { type: 'string' },
    annotations: { additionalProperties: { type: 'string' } },
  },
});

const inputs = ({ properties = {} }: StructuralSchema): fc.Arbitrary<JsonObject> =>
  fc.oneof(
    {
      weight: 9,
      arbitrary: fc.record({
        metadata,
        spec: shaped(properties.spec ?? {}),
        status: shaped(properties.status ?? {}),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.dictionary(fc.constantFrom('metadata', 'spec', 'status', 'a'), odd, {
        noNullPrototype: true,
      }),
    },
  );

const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).map(frozen);
  return value;
};

for (const kind of allKinds) {
  const input = inputs(kind.inputSchema).map(frozen);
  const old = fc.option(inputs(kind.schema).map(frozen), { nil: undefined });

  test(`${kind.kind} of ${kind.group} has one canonical form for any input`, () => {
    fc.assert(
      fc.property(input, old, (written, stored) => {
        let canonical: JsonObject;
        try {
          canonical = normalise(kind, written, stored);
        } catch (error) {
          if (error instanceof InvalidObjectError) return;
          throw error;
        }
        assert.deepEqual(normalise(kind, canonical, stored), canonical);
      }),
      { numRuns: RUNS },
    );
  });
}
