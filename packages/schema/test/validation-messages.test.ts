import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue } from '@perigee/schema/json';
import { compileDecoder } from '@perigee/schema/structural/decode';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { compileValidator } from '@perigee/schema/validate/validate';
import { objectWith, recorded } from './recorded.ts';

const errorsOf = (schema: StructuralSchema, spec: JsonValue) =>
  compileValidator(schema)(compileDecoder(schema)(objectWith(spec)).value);

describe('validation says what a kube-apiserver says', () => {
  const { schema, cases } = recorded('validation');
  for (const { name, spec, causes } of cases) {
    it(name, () => assert.deepEqual(errorsOf(schema, spec), causes));
  }
});

const specSchema = (properties: {
  readonly [name: string]: StructuralSchema;
}): StructuralSchema => ({
  type: 'object',
  properties: { spec: { type: 'object', properties } },
});

describe('defects of a kube-apiserver that are not repeated', () => {
  it('takes a fraction as the bound of a whole number', () => {
    const schema = specSchema({ n: { type: 'number', minimum: 0.5, maximum: 2.5 } });
    assert.deepEqual(
      errorsOf(schema, { n: 0 }).map(({ message }) => message),
      ['Invalid value: 0: spec.n in body should be greater than or equal to 0.5'],
    );
    assert.deepEqual(
      errorsOf(schema, { n: 3 }).map(({ message }) => message),
      ['Invalid value: 3: spec.n in body should be less than or equal to 2.5'],
    );
  });

  it('finds a whole number to be a multiple of a fraction', () => {
    const schema = specSchema({ n: { type: 'number', multipleOf: 0.5 } });
    assert.deepEqual(errorsOf(schema, { n: 3 }), []);
  });

  it('does not take a list for a string that has a format', () => {
    const schema = specSchema({ when: { type: 'string', format: 'date-time' } });
    assert.deepEqual(
      errorsOf(schema, { when: ['a'] }).map(({ message }) => message),
      ['Invalid value: "array": spec.when in body must be of type string: "array"'],
    );
  });

  it('does not cut a fraction down to find it among whole numbers', () => {
    const schema = specSchema({ n: { type: 'number', enum: [1, 2] } });
    assert.deepEqual(
      errorsOf(schema, { n: 1.5 }).map(({ message }) => message),
      ['Unsupported value: 1.5: supported values: "1", "2"'],
    );
  });
});

describe('names that mean something to JavaScript', () => {
  const INT = { type: 'integer' } as const;
  const need = { type: 'object', required: ['constructor', 'valueOf'] } as const;
  const fields = [
    ['constructor', INT],
    ['toString', INT],
    ['need', need],
  ] as const;
  const schema = specSchema(Object.fromEntries<StructuralSchema>(fields));

  it('are fields like any other', () => {
    const spec = JSON.parse('{"constructor": "x", "toString": 1, "need": {"constructor": 1}}');
    assert.deepEqual(
      compileValidator(schema)(objectWith(spec)).map(({ field, reason }) => `${field} ${reason}`),
      ['spec.constructor FieldValueTypeInvalid', 'spec.need.valueOf FieldValueRequired'],
    );
  });
});
