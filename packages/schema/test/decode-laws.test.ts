import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { compileDecoder } from '@perigee/schema/structural/decode';
import { compileValidator } from '@perigee/schema/validate/validate';
import fc from 'fast-check';
import { objectWith, recorded } from './recorded.ts';

const { schema } = recorded('validation');
const decode = compileDecoder(schema);
const validate = compileValidator(schema);
const withRules = compileValidator(recorded('rules').schema);

const fieldsOf = ({ properties = {} }: typeof schema): string[] =>
  Object.keys(properties.spec?.properties ?? {});

const scalar = fc.oneof(
  fc.constantFrom('a', 'abc', 'xyz', '', '5%', 'TCP', 'é😀', '__proto__'),
  fc.integer({ min: -3, max: 14 }),
  fc.double(),
  fc.constantFrom(3e9, 1e30, true, false, null),
);
const key = fc.constantFrom('a', 'b', 'name', 'v', 'port', 'known', 'zz', 'k.a/b', '__proto__');
const json = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
})).value;

/**
 * Values of any shape under the names that the schema knows, so that all of its nodes see all of them;
 * made as a server makes them, by parsing.
 */
const specFor = (names: readonly string[]): fc.Arbitrary<JsonValue> =>
  fc
    .oneof(
      {
        weight: 9,
        arbitrary: fc.dictionary(fc.constantFrom(...names, 'unknown'), json, { maxKeys: 5 }),
      },
      { weight: 1, arbitrary: json },
    )
    .map((spec) => JSON.parse(JSON.stringify(spec)));
const anySpec = specFor(fieldsOf(schema));
const ruledSpec = specFor(fieldsOf(recorded('rules').schema));

const RUNS = { numRuns: 400 };

describe('whatever the object', () => {
  it('decoding never changes its input', () => {
    fc.assert(
      fc.property(anySpec, (spec) => {
        const input = objectWith(spec);
        const before = JSON.stringify(input);
        decode(input);
        assert.equal(JSON.stringify(input), before);
      }),
      RUNS,
    );
  });

  it('decoding twice is decoding once', () => {
    fc.assert(
      fc.property(anySpec, (spec) => {
        const once = decode(objectWith(spec)).value;
        const twice = decode(once);
        assert.equal(twice.value, once);
        assert.deepEqual(twice.unknownFields, []);
      }),
      RUNS,
    );
  });

  it('decoding takes away nothing but unknown fields and nulls', () => {
    const leaves = (value: JsonValue | undefined): number =>
      typeof value !== 'object' || value === null
        ? Number(value !== undefined && value !== null)
        : Object.values(value).reduce<number>((sum, child) => sum + leaves(child), 0);
    fc.assert(
      fc.property(anySpec, (spec) => {
        const { value, unknownFields } = decode(objectWith(spec));
        if (unknownFields.length === 0) {
          assert.ok(leaves(value.spec) >= leaves(spec));
        }
      }),
      RUNS,
    );
  });

  it('validating never throws, and says the same each time', () => {
    fc.assert(
      fc.property(anySpec, fc.option(anySpec, { nil: undefined }), (spec, old) => {
        const [value, before] = [objectWith(spec), old === undefined ? undefined : objectWith(old)];
        assert.deepEqual(validate(value, before), validate(value, before));
      }),
      RUNS,
    );
  });

  it('validating by rules never throws', () => {
    fc.assert(
      fc.property(ruledSpec, fc.option(ruledSpec, { nil: undefined }), (spec, old) => {
        const before = old === undefined ? undefined : objectWith(old);
        for (const { field, message } of withRules(objectWith(spec), before)) {
          assert.ok(field !== '' && message !== '');
        }
      }),
      RUNS,
    );
  });

  it('an object that replaces itself has no new errors', () => {
    fc.assert(
      fc.property(anySpec, (spec) => {
        const value: JsonObject = decode(objectWith(spec)).value;
        const isEmbedded = JSON.stringify(spec).includes('emb');
        fc.pre(!isEmbedded);
        assert.deepEqual(validate(value, value), []);
      }),
      RUNS,
    );
  });
});
