import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InvalidObjectError } from '@perigee/schema/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { compileDecoder } from '@perigee/schema/structural/decode';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { objectWith, recorded } from './recorded.ts';

const { schema } = recorded('validation');
const decode = compileDecoder(schema);

/** The defaults that this schema adds to every spec. */
const DEFAULTS = { def: 'd', defNullable: 'd', defObj: { a: 1 } };

interface DecodeCase {
  readonly input: JsonObject;
  readonly becomes: JsonObject;
  readonly unknown?: readonly string[];
}

/** Results of kube-apiserver v1.36.3. */
const CASES: { readonly [name: string]: DecodeCase } = {
  'unknown fields go': {
    input: { spec: { foo: 1, obj: { a: 1, zz: { y: 1 } } }, extra: 1 },
    becomes: { spec: { obj: { a: 1 }, ...DEFAULTS } },
    unknown: ['extra', 'spec.foo', 'spec.obj.zz'],
  },
  'unknown fields of elements go': {
    input: {
      spec: {
        list: [
          { name: 'x', q: 1 },
          { name: 'y', q: [1], r: 1 },
        ],
      },
    },
    becomes: { spec: { list: [{ name: 'x' }, { name: 'y' }], ...DEFAULTS } },
    unknown: ['spec.list[0].q', 'spec.list[1].q', 'spec.list[1].r'],
  },
  'unknown fields stay where the schema says so, but known ones below are pruned': {
    input: { spec: { any: { a: { b: 1 } }, anyObj: { u: { v: 1 }, known: { a: 1, zz: 2 } } } },
    becomes: {
      spec: { any: { a: { b: 1 } }, anyObj: { u: { v: 1 }, known: { a: 1 } }, ...DEFAULTS },
    },
    unknown: ['spec.anyObj.known.zz'],
  },
  'an object without any field keeps none': {
    input: { spec: { empty: { a: 1 } } },
    becomes: { spec: { empty: {}, ...DEFAULTS } },
    unknown: ['spec.empty.a'],
  },
  'an object in the place of a string loses its fields': {
    input: { spec: { namespace: { a: 1 } } },
    becomes: { spec: { namespace: {}, ...DEFAULTS } },
    unknown: ['spec.namespace.a'],
  },
  'absent fields get their defaults': { input: { spec: {} }, becomes: { spec: DEFAULTS } },
  'defaults need an object to stand in': { input: {}, becomes: {} },
  'null counts as absent': { input: { spec: null }, becomes: {} },
  'null stays where the schema takes it': {
    input: { spec: { def: null, defNullable: null, defObj: null, str: null, nul: null } },
    becomes: { spec: { def: 'd', defNullable: null, defObj: { a: 1 }, nul: null } },
  },
  'defaults go into objects that are there': {
    input: { spec: { defObj: { b: {} } } },
    becomes: { spec: { ...DEFAULTS, defObj: { a: 1, b: { c: 'c' } } } },
  },
  'null gives way to a default in an object': {
    input: { spec: { defObj: { a: null, b: { c: null } } } },
    becomes: { spec: { ...DEFAULTS, defObj: { a: 1, b: { c: 'c' } } } },
  },
  'null gives way to a default in a list': {
    input: { spec: { defItems: [{}, null, { a: 1 }, { a: null }] } },
    becomes: { spec: { defItems: [{ a: 7 }, { a: 7 }, { a: 1 }, { a: 7 }], ...DEFAULTS } },
  },
  'null gives way to a default in a map, or goes': {
    input: { spec: { defMap: { a: null, b: 1 }, defMapObj: { x: {}, y: null } } },
    becomes: { spec: { defMap: { a: 5, b: 1 }, defMapObj: { x: { a: 5 } }, ...DEFAULTS } },
  },
  'null stays in a list without a default': {
    input: { spec: { nullItems: [null], intItems: [null] } },
    becomes: { spec: { nullItems: [null], intItems: [null], ...DEFAULTS } },
  },
  'null stays where nothing is known of a field': {
    input: { spec: { any: null, anyObj: { known: null, u: null } } },
    becomes: { spec: { anyObj: { u: null }, ...DEFAULTS } },
  },
  'the key of a list that is a map gets its default': {
    input: { spec: { two: [{ port: 1 }] } },
    becomes: { spec: { two: [{ port: 1, protocol: 'TCP' }], ...DEFAULTS } },
  },
};

describe('decoding makes of an object what a kube-apiserver makes of it', () => {
  for (const [name, { input, becomes, unknown = [] }] of Object.entries(CASES)) {
    it(name, () => {
      const head = { apiVersion: 'gold.io/v1', kind: 'Sample', metadata: { name: 'x' } };
      const { value, unknownFields } = decode({ ...head, ...input });
      assert.deepEqual(value, { ...head, ...becomes });
      assert.deepEqual(unknownFields, unknown);
    });
  }

  it('embedded objects keep their type and metadata, but not unknown metadata', () => {
    const { value, unknownFields } = decode(
      objectWith({
        emb: { apiVersion: 'v1', kind: 'A', metadata: { name: 'a', zzz: 1 }, foo: { bar: 1 } },
        embList: [{ apiVersion: 'v1', kind: 'A', metadata: {}, spec: { a: 1, b: 2 }, other: 1 }],
      }),
    );
    assert.deepEqual((value.spec as JsonObject).emb, {
      apiVersion: 'v1',
      kind: 'A',
      metadata: { name: 'a' },
      foo: { bar: 1 },
    });
    assert.deepEqual((value.spec as JsonObject).embList, [
      { apiVersion: 'v1', kind: 'A', metadata: {}, spec: { a: 1 } },
    ]);
    assert.deepEqual(unknownFields, [
      'spec.emb.metadata.zzz',
      'spec.embList[0].other',
      'spec.embList[0].spec.b',
    ]);
  });

  it('an object keeps its metadata, but not what metadata cannot have', () => {
    const { value, unknownFields } = decode({
      ...objectWith(undefined),
      metadata: {
        name: 'x',
        foo: 1,
        labels: { a: 'b' },
        managedFields: [{ fieldsV1: { 'f:a': {} } }],
      },
    });
    assert.deepEqual(value.metadata, {
      name: 'x',
      labels: { a: 'b' },
      managedFields: [{ fieldsV1: { 'f:a': {} } }],
    });
    assert.deepEqual(unknownFields, ['metadata.foo']);
  });
});

describe('decoding is harmless', () => {
  const parsed = (text: string): JsonObject => JSON.parse(text);

  it('keeps names such as __proto__ as plain keys of a map', () => {
    const { value } = decode(
      parsed('{"spec": {"map": {"__proto__": 1, "constructor": 2, "toString": null}}}'),
    );
    const { map } = value.spec as { readonly map: JsonObject };
    assert.deepEqual(Object.entries(map), [
      ['__proto__', 1],
      ['constructor', 2],
    ]);
    assert.equal(Object.getPrototypeOf(map), Object.prototype);
  });

  it('drops such names where they are unknown', () => {
    const { value, unknownFields } = decode(parsed('{"spec": {"obj": {"__proto__": {"a": 1}}}}'));
    assert.deepEqual(Object.keys((value.spec as { readonly obj: JsonObject }).obj), []);
    assert.deepEqual(unknownFields, ['spec.obj.__proto__']);
  });

  it('gives a default to a field whose name every object has', () => {
    const named: StructuralSchema = {
      type: 'object',
      properties: Object.fromEntries([['constructor', { type: 'string', default: 'x' } as const]]),
    };
    assert.deepEqual(Object.entries(compileDecoder(named)({}).value), [['constructor', 'x']]);
  });

  it('refuses what nests too deep, wherever it is', () => {
    let deep: JsonValue = 1;
    for (let level = 0; level < 100_000; level++) deep = level % 2 === 0 ? [deep] : { a: deep };
    for (const field of ['any', 'nosuchfield']) {
      assert.throws(
        () => decode(objectWith({ [field]: deep })),
        (error) => {
          assert.ok(error instanceof InvalidObjectError);
          assert.match(error.message, /must not nest objects and lists deeper than 1000 levels/);
          return true;
        },
      );
    }
  });

  it('shares with its input what needs no change', () => {
    const any = { a: [1, 2, 3] };
    const input = objectWith({ any, ...DEFAULTS });
    assert.equal(decode(input).value, input);
    const { value } = decode(objectWith({ any, extra: 1, ...DEFAULTS }));
    assert.equal((value.spec as JsonObject).any, any);
  });

  it('gives out defaults that nobody can change for others', () => {
    const { defObj } = decode(objectWith({})).value.spec as { readonly defObj: { a: number } };
    assert.throws(() => {
      defObj.a = 2;
    }, TypeError);
  });
});
