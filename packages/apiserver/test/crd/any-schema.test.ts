import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { compileDecoder } from '@perigee/schema/structural/decode';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { compileValidator } from '@perigee/schema/validate/validate';
import fc from 'fast-check';
import { crdStrategy } from '../../src/crd/crd-strategy.ts';
import { servedResources } from '../../src/crd/served-resources.ts';
import { createOpenApiV3 } from '../../src/openapi/open-api-v3.ts';
import { widgetCrd, widgetVersion } from './widget-crd.ts';

const KEYWORDS = [
  'type',
  'properties',
  'items',
  'additionalProperties',
  'anyOf',
  'not',
  'default',
  'required',
  'enum',
  'pattern',
  'nullable',
  'minimum',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-validations',
];

/** Values that make sense under some keyword, mostly not under the one where they stand. */
const anything: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<JsonValue>('object', 'array', 'string', 'map', '__proto__', 1, true, null),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom(...KEYWORDS, 'a', '__proto__'), tie('value'), { maxKeys: 4 }),
  ),
})).value;

/** Mostly right: fields of plain types, lists and maps, some with defaults. */
const structural: fc.Arbitrary<JsonObject> = fc.letrec<{ node: JsonObject }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<JsonObject>(
      { type: 'string', default: 'x' },
      { type: 'integer', minimum: 1 },
      { type: 'boolean', nullable: true },
      { 'x-kubernetes-int-or-string': true },
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      { type: 'string', maxLength: 2, default: 'too long' },
    ),
    tie('node').map((items) => ({ type: 'array', items })),
    tie('node').map((additionalProperties) => ({ type: 'object', additionalProperties })),
    fc
      .dictionary(fc.constantFrom('a', 'b', 'c'), tie('node'), {
        maxKeys: 3,
        noNullPrototype: true,
      })
      .map((properties) => ({ type: 'object', properties })),
  ),
})).node;

const crdOf = (openAPIV3Schema: JsonValue): JsonObject => {
  const version = widgetVersion({ schema: { openAPIV3Schema } });
  const crd = widgetCrd({ versions: [version] });
  const defaulted = crdStrategy.defaults?.(crd) ?? crd;
  return crdStrategy.prepare?.(defaulted) ?? defaulted;
};

describe('the schema of a CRD', () => {
  it('gets an answer, whatever it is', () => {
    fc.assert(
      fc.property(anything, (schema) => {
        const errors = crdStrategy.validate?.(crdOf(schema)) ?? [];
        for (const { field, message } of errors) assert.ok(field !== '' && message !== '');
      }),
      { numRuns: 400 },
    );
  });

  it('that is right can be served: objects are decoded and checked, and it can be explained', () => {
    let accepted = 0;
    fc.assert(
      fc.property(structural, (spec) => {
        const crd = crdOf({ type: 'object', properties: { spec } });
        if ((crdStrategy.validate?.(crd) ?? []).length > 0) return;
        accepted++;
        const [resource] = servedResources(crd);
        const schema = resource?.schema as StructuralSchema;
        const empty = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'x' } };
        const { value, unknownFields } = compileDecoder(schema)(empty);
        assert.deepEqual(unknownFields, []);
        assert.deepEqual(compileValidator(schema)(value), []);
        const document = createOpenApiV3(servedResources(crd)).document('apis/example.com/v1');
        assert.ok(document?.body.includes('"com.example.v1.Widget"'));
      }),
      { numRuns: 200 },
    );
    assert.ok(accepted > 20);
  });
});
