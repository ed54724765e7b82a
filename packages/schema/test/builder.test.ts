import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  anyObject,
  anything,
  boolean,
  embeddedObject,
  int32,
  int64,
  intOrString,
  list,
  listMap,
  map,
  object,
  oneOf,
  open,
  quantity,
  set,
  string,
  time,
} from '@perigee/schema/structural/builder';
import { compileDecoder } from '@perigee/schema/structural/decode';
import {
  check,
  immutable,
  optional,
  type Schema,
  withDefault,
} from '@perigee/schema/structural/schema';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { compileValidator } from '@perigee/schema/validate/validate';

const DOC = 'What it is.';
const TEXT = string(DOC);
const TEXT_SCHEMA = { type: 'string', description: DOC } as const;

const EMITTED: readonly (readonly [name: string, schema: Schema, openapi: StructuralSchema])[] = [
  ['string', string(DOC, { minLength: 1 }), { ...TEXT_SCHEMA, minLength: 1 }],
  ['oneOf', oneOf(DOC, ['a', 'b']), { ...TEXT_SCHEMA, enum: ['a', 'b'] }],
  ['boolean', boolean(DOC), { type: 'boolean', description: DOC }],
  ['int32', int32(DOC), { type: 'integer', format: 'int32', description: DOC }],
  ['int64', int64(DOC), { type: 'integer', format: 'int64', description: DOC }],
  ['time', time(DOC), { ...TEXT_SCHEMA, format: 'date-time' }],
  [
    'intOrString',
    intOrString(DOC),
    {
      'x-kubernetes-int-or-string': true,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      description: DOC,
    },
  ],
  [
    'object',
    object(DOC, { a: TEXT, b: optional(TEXT), c: withDefault('x', TEXT) }),
    {
      type: 'object',
      description: DOC,
      properties: { a: TEXT_SCHEMA, b: TEXT_SCHEMA, c: { ...TEXT_SCHEMA, default: 'x' } },
      required: ['a'],
    },
  ],
  [
    'an object without required fields',
    object(DOC, { a: optional(TEXT) }),
    { type: 'object', description: DOC, properties: { a: TEXT_SCHEMA } },
  ],
  [
    'list',
    list(DOC, TEXT, { maxItems: 2 }),
    {
      type: 'array',
      description: DOC,
      items: TEXT_SCHEMA,
      'x-kubernetes-list-type': 'atomic',
      maxItems: 2,
    },
  ],
  [
    'set',
    set(DOC, TEXT),
    { type: 'array', description: DOC, items: TEXT_SCHEMA, 'x-kubernetes-list-type': 'set' },
  ],
  [
    'listMap',
    listMap(DOC, ['name'], object(DOC, { name: TEXT })),
    {
      type: 'array',
      description: DOC,
      items: {
        type: 'object',
        description: DOC,
        properties: { name: TEXT_SCHEMA },
        required: ['name'],
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
  ],
  ['map', map(DOC, TEXT), { type: 'object', description: DOC, additionalProperties: TEXT_SCHEMA }],
  ['anything', anything(DOC), { 'x-kubernetes-preserve-unknown-fields': true, description: DOC }],
  [
    'anyObject',
    anyObject(DOC),
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, description: DOC },
  ],
  [
    'open',
    open(object(DOC, { a: optional(TEXT) })),
    {
      type: 'object',
      description: DOC,
      properties: { a: TEXT_SCHEMA },
      'x-kubernetes-preserve-unknown-fields': true,
    },
  ],
  [
    'embeddedObject',
    embeddedObject(DOC),
    {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      'x-kubernetes-embedded-resource': true,
      description: DOC,
    },
  ],
  [
    'check and immutable',
    immutable(check(TEXT, { rule: 'self != ""' }), 'it stays'),
    {
      ...TEXT_SCHEMA,
      'x-kubernetes-validations': [
        { rule: 'self != ""' },
        { rule: 'self == oldSelf', message: 'it stays' },
      ],
    },
  ],
];

describe('the builder emits', () => {
  for (const [name, { openapi }, expected] of EMITTED) {
    it(name, () => assert.deepEqual(openapi, expected));
  }
});

describe('a quantity', () => {
  const schema: StructuralSchema = {
    type: 'object',
    properties: { cpu: quantity(DOC).openapi },
  };
  const isFine = (cpu: string | number | boolean): boolean =>
    compileValidator(schema)(compileDecoder(schema)({ cpu }).value).length === 0;

  it('is an amount with a unit, or a whole number', () => {
    for (const value of ['500m', '2Gi', '4', 4, '1.5', '.5', '1e3', '-1', '+1k']) {
      assert.ok(isFine(value), String(value));
    }
    for (const value of ['', 'x', '1 Gi', '1gi', '1.5.5', 1.5, true]) {
      assert.ok(!isFine(value), String(value));
    }
  });
});
