import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { compileDecoder } from '@perigee/schema/structural/decode';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { compileValidator } from '@perigee/schema/validate/validate';
import fc from 'fast-check';

const PART: StructuralSchema = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', maximum: 3 },
    mode: { type: 'string', enum: ['a', 'b'], default: 'a' },
    either: {
      type: 'object',
      properties: { left: { type: 'integer' }, right: { type: 'string' } },
      anyOf: [
        { required: ['left'], properties: { left: { minimum: 2 } } },
        { required: ['right'], properties: { right: { minLength: 2 }, left: { maximum: 0 } } },
      ],
    },
    keyed: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string', maxLength: 1 }, size: { type: 'integer' } },
      },
    },
  },
};
const SCHEMA: StructuralSchema = { type: 'object', properties: { spec: PART, status: PART } };

const name = fc.constantFrom('x', 'y', 'long');
const part = fc.record(
  {
    size: fc.constantFrom<JsonValue>(1, 3, 4, 'text', null),
    mode: fc.constantFrom<JsonValue>('a', 'b', 'c', null),
    either: fc.record(
      { left: fc.integer({ min: 0, max: 3 }), right: fc.constantFrom('', 'r', 'rr') },
      { requiredKeys: [] },
    ),
    keyed: fc.array(fc.record({ name, size: fc.constantFrom<JsonValue>(1, 'text') })),
    odd: fc.constant({ deep: [{}] }),
  },
  { requiredKeys: [] },
);

/** An object, and what a patch makes of it: some parts are new, the others are the very same. */
const change = fc
  .record({ old: fc.record({ spec: part, status: part }), next: fc.record({ spec: part }) })
  .chain(({ old, next }) =>
    fc.subarray(Object.keys(next.spec)).map((changed) => {
      const fresh = Object.fromEntries(
        changed.map((field) => [field, next.spec[field as keyof typeof next.spec]]),
      );
      return { old, next: { ...old, spec: { ...old.spec, ...fresh } } };
    }),
  ) as fc.Arbitrary<{ readonly old: JsonObject; readonly next: JsonObject }>;

const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
/** Of what was decoded only the fields count, not how it was made. */
const plain = copyOf;

test('parts that are the very same as before are judged as equal ones are', () => {
  const validate = compileValidator(SCHEMA);
  fc.assert(
    fc.property(change, ({ old, next }) => {
      assert.deepEqual(validate(next, old), validate(next, copyOf(old)));
    }),
    { numRuns: 500 },
  );
});

test('what a decoder has seen before it decodes as if it were new', () => {
  const decode = compileDecoder(SCHEMA);
  fc.assert(
    fc.property(change, fc.boolean(), ({ old, next }, keepsNulls) => {
      for (const input of [old, decode(old).value, next, decode(next, { keepsNulls }).value, old]) {
        const fresh = compileDecoder(SCHEMA);
        assert.deepEqual(plain(decode(input)), plain(fresh(copyOf(input))));
        assert.deepEqual(
          plain(decode(input, { keepsNulls: true })),
          plain(fresh(copyOf(input), { keepsNulls: true })),
        );
      }
    }),
    { numRuns: 200 },
  );
});
