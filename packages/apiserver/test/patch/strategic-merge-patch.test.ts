import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';
import { PatchError } from '../../src/errors.ts';
import { applyStrategicMergePatch } from '../../src/patch/strategic-merge-patch.ts';

const text: StructuralSchema = { type: 'string' };

const keyed = (key: string, properties: StructuralSchema['properties']): StructuralSchema => ({
  type: 'array',
  'x-kubernetes-patch-strategy': 'merge',
  'x-kubernetes-patch-merge-key': key,
  items: { type: 'object', properties: { [key]: text, ...properties } },
});

const SCHEMA: StructuralSchema = {
  type: 'object',
  properties: {
    labels: { type: 'object', additionalProperties: text },
    replicas: { type: 'integer' },
    args: { type: 'array', items: text },
    finalizers: { type: 'array', items: text, 'x-kubernetes-patch-strategy': 'merge' },
    containers: keyed('name', {
      image: text,
      args: { type: 'array', items: text },
      ports: keyed('port', { protocol: text }),
    }),
    strategy: {
      type: 'object',
      'x-kubernetes-patch-strategy': 'retainKeys',
      properties: { type: text, rolling: { type: 'object', properties: { surge: text } } },
    },
    selector: {
      type: 'object',
      'x-kubernetes-patch-strategy': 'replace',
      properties: { a: text, b: text },
    },
  },
};

interface Case {
  readonly name: string;
  readonly live: JsonObject;
  readonly patch: JsonObject;
  readonly result: JsonObject;
}

const CASES: readonly Case[] = [
  {
    name: 'merges objects, and drops what is null',
    live: { labels: { a: '1', b: '2' }, replicas: 1 },
    patch: { labels: { b: null, c: '3' } },
    result: { labels: { a: '1', c: '3' }, replicas: 1 },
  },
  {
    name: 'replaces an object whose strategy says so',
    live: { selector: { a: '1' } },
    patch: { selector: { b: '2' } },
    result: { selector: { b: '2' } },
  },
  {
    name: 'replaces a list without a strategy',
    live: { args: ['a', 'b'] },
    patch: { args: ['c'] },
    result: { args: ['c'] },
  },
  {
    name: 'merges list items by their key, in the order of the patch',
    live: {
      containers: [
        { name: 'a', image: '1' },
        { name: 'b', image: '2' },
      ],
    },
    patch: { containers: [{ name: 'c' }, { name: 'a', image: '3' }] },
    result: {
      containers: [{ name: 'c' }, { name: 'a', image: '3' }, { name: 'b', image: '2' }],
    },
  },
  {
    name: 'merges lists in the items of a list',
    live: { containers: [{ name: 'a', ports: [{ port: '1', protocol: 'x' }] }] },
    patch: { containers: [{ name: 'a', ports: [{ port: '2' }, { port: '1', protocol: null }] }] },
    result: { containers: [{ name: 'a', ports: [{ port: '2' }, { port: '1' }] }] },
  },
  {
    name: 'deletes an item, even one that is not there',
    live: { containers: [{ name: 'a' }, { name: 'b' }] },
    patch: {
      containers: [
        { name: 'a', $patch: 'delete' },
        { name: 'z', $patch: 'delete' },
      ],
    },
    result: { containers: [{ name: 'b' }] },
  },
  {
    name: 'replaces a whole list that would be merged',
    live: { containers: [{ name: 'a' }, { name: 'b' }] },
    patch: { containers: [{ $patch: 'replace' }, { name: 'c' }] },
    result: { containers: [{ name: 'c' }] },
  },
  {
    name: 'replaces an object',
    live: { labels: { a: '1' } },
    patch: { labels: { $patch: 'replace', b: '2' } },
    result: { labels: { b: '2' } },
  },
  {
    name: 'empties an object',
    live: { labels: { a: '1' }, replicas: 1 },
    patch: { labels: { $patch: 'delete' } },
    result: { labels: {}, replicas: 1 },
  },
  {
    name: 'adds to a list of scalars and deletes from it',
    live: { finalizers: ['a', 'b', 'c'] },
    patch: { finalizers: ['d'], '$deleteFromPrimitiveList/finalizers': ['b'] },
    result: { finalizers: ['d', 'a', 'c'] },
  },
  {
    name: 'orders list items as it is told, the others before what came after them',
    live: { containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] },
    patch: {
      '$setElementOrder/containers': [{ name: 'c' }, { name: 'n' }, { name: 'a' }],
      containers: [{ name: 'n', image: '1' }],
    },
    result: {
      containers: [{ name: 'b' }, { name: 'c' }, { name: 'n', image: '1' }, { name: 'a' }],
    },
  },
  {
    name: 'orders scalars as it is told, and leaves the others where they were',
    live: { finalizers: ['a', 'b', 'c', 'd'] },
    patch: { '$setElementOrder/finalizers': ['d', 'b'] },
    result: { finalizers: ['a', 'c', 'd', 'b'] },
  },
  {
    name: 'keeps only the keys that are to be retained',
    live: { strategy: { type: 'Rolling', rolling: { surge: '1' } } },
    patch: { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
    result: { strategy: { type: 'Recreate' } },
  },
  {
    name: 'takes a new field without its nulls and directives',
    live: {},
    patch: {
      labels: { a: null, b: '1' },
      containers: [
        { name: 'a', image: null },
        { name: 'b', $patch: 'delete' },
      ],
    },
    result: { labels: { b: '1' }, containers: [{ name: 'a' }] },
  },
];

const REFUSED: readonly (readonly [string, JsonValue, RegExp])[] = [
  ['something that is no object', [], /must be an object/],
  ['an unknown directive', { labels: { $patch: 'spam' } }, /^unknown patch type: "spam" in map/],
  ['an item without its key', { containers: [{ image: '1' }] }, /declared merge key: name$/],
  ['a deletion without a key', { containers: [{ $patch: 'delete' }] }, /declared merge key: name$/],
  ['a list in a list', { containers: [[]] }, /^lists of lists are not supported$/],
  ['a mixture', { containers: ['a'] }, /^list element types are not identical/],
  [
    'an order that the patch does not follow',
    {
      '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }],
      containers: [{ name: 'b' }, { name: 'a' }],
    },
    /^The order in patch list/,
  ],
  [
    'a field that is not to be retained',
    { strategy: { $retainKeys: ['type'], rolling: {} } },
    /^invalid patch format of retainKeys$/,
  ],
  ['a directive for no field', { $deleteFromPrimitiveList: ['a'] }, /primitive list$/],
  ['an order for no field', { $setElementOrder: ['a'] }, /setElementOrder list$/],
];

const LIVE: JsonObject = { labels: {}, strategy: {}, containers: [{ name: 'a' }] };

describe('a strategic merge patch', () => {
  for (const { name, live, patch, result } of CASES) {
    it(name, () => {
      const before = structuredClone([live, patch]);
      assert.deepEqual(applyStrategicMergePatch(live, patch, SCHEMA), result);
      assert.deepEqual([live, patch], before);
    });
  }

  for (const [name, patch, message] of REFUSED) {
    it(`refuses ${name}`, () => {
      assert.throws(
        () => applyStrategicMergePatch(LIVE, patch, SCHEMA),
        (error) => {
          assert.ok(error instanceof PatchError);
          assert.match(error.message, message);
          return true;
        },
      );
    });
  }

  it('returns the live object itself when it changes nothing', () => {
    const live = { labels: { a: '1' }, containers: [{ name: 'a', image: '1' }], args: ['x'] };
    const patch = { labels: { a: '1', z: null }, containers: [{ name: 'a', image: '1' }] };
    assert.equal(applyStrategicMergePatch(live, patch, SCHEMA), live);
  });

  it('treats __proto__ as a name like any other', () => {
    const patch: JsonObject = JSON.parse('{"labels":{"__proto__":"x","constructor":"y"}}');
    const result = applyStrategicMergePatch({ labels: {} }, patch, SCHEMA);
    assert.equal(JSON.stringify(result), '{"labels":{"__proto__":"x","constructor":"y"}}');
    assert.equal(Object.getPrototypeOf(result.labels), Object.prototype);
  });
});
