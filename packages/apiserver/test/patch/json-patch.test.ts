import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import fc from 'fast-check';
import { PatchError } from '../../src/errors.ts';
import { applyJsonPatch } from '../../src/patch/json-patch.ts';

interface Case {
  readonly name: string;
  readonly document: JsonValue;
  readonly patch: JsonValue;
  readonly result?: JsonValue;
  readonly error?: string;
  readonly code?: number;
}

const CASES: readonly Case[] = [
  {
    name: 'adds a field',
    document: { a: 1 },
    patch: [{ op: 'add', path: '/b', value: 2 }],
    result: { a: 1, b: 2 },
  },
  {
    name: 'adds over a field',
    document: { a: 1 },
    patch: [{ op: 'add', path: '/a', value: [] }],
    result: { a: [] },
  },
  {
    name: 'inserts into a list',
    document: { l: ['a', 'c'] },
    patch: [{ op: 'add', path: '/l/1', value: 'b' }],
    result: { l: ['a', 'b', 'c'] },
  },
  {
    name: 'appends by a dash',
    document: { l: ['a'] },
    patch: [{ op: 'add', path: '/l/-', value: ['b'] }],
    result: { l: ['a', ['b']] },
  },
  {
    name: 'inserts right behind the end',
    document: { l: ['a'] },
    patch: [{ op: 'add', path: '/l/1', value: 'b' }],
    result: { l: ['a', 'b'] },
  },
  {
    name: 'counts a negative index from behind',
    document: { l: ['a', 'b'] },
    patch: [
      { op: 'replace', path: '/l/-1', value: 'c' },
      { op: 'remove', path: '/l/-2' },
    ],
    result: { l: ['c'] },
  },
  {
    name: 'adds null where the value is absent',
    document: {},
    patch: [{ op: 'add', path: '/a' }],
    result: { a: null },
  },
  {
    name: 'does not add below what is not there',
    document: {},
    patch: [{ op: 'add', path: '/a/b', value: 1 }],
    error: 'add operation does not apply: doc is missing path: "/a/b": missing value',
  },
  {
    name: 'does not add behind the end',
    document: { l: [] },
    patch: [{ op: 'add', path: '/l/1', value: 1 }],
    error:
      "error in add for path: '/l/1': Unable to access invalid index: 1: invalid index referenced",
  },
  {
    name: 'does not take a word for an index',
    document: { l: [] },
    patch: [{ op: 'add', path: '/l/x', value: 1 }],
    error: `error in add for path: '/l/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
  },
  {
    name: 'removes a field and an item',
    document: { a: 1, l: [1, 2, 3] },
    patch: [
      { op: 'remove', path: '/a' },
      { op: 'remove', path: '/l/1' },
    ],
    result: { l: [1, 3] },
  },
  {
    name: 'does not remove what is not there',
    document: {},
    patch: [{ op: 'remove', path: '/a' }],
    error: "error in remove for path: '/a': Unable to remove nonexistent key: a: missing value",
  },
  {
    name: 'does not remove what every object inherits',
    document: {},
    patch: [{ op: 'remove', path: '/constructor' }],
    error:
      "error in remove for path: '/constructor': Unable to remove nonexistent key: constructor: missing value",
  },
  {
    name: 'replaces the whole document',
    document: { a: 1 },
    patch: [{ op: 'replace', path: '', value: { b: 2 } }],
    result: { b: 2 },
  },
  {
    name: 'does not replace the document by a scalar',
    document: { a: 1 },
    patch: [{ op: 'replace', path: '', value: 1 }],
    error: 'replace operation value must be object or array',
  },
  {
    name: 'replaces a field that is not there',
    document: {},
    patch: [{ op: 'replace', path: '/a', value: 1 }],
    result: { a: 1 },
  },
  {
    name: 'does not replace an item that is not there',
    document: { l: [] },
    patch: [{ op: 'replace', path: '/l/0', value: 1 }],
    error: 'replace operation does not apply: doc is missing key: /l/0: missing value',
  },
  {
    name: 'moves a field',
    document: { a: { b: 1 }, c: {} },
    patch: [{ op: 'move', from: '/a/b', path: '/c/d' }],
    result: { a: {}, c: { d: 1 } },
  },
  {
    name: 'moves an item within its list',
    document: { l: [1, 2, 3] },
    patch: [{ op: 'move', from: '/l/0', path: '/l/2' }],
    result: { l: [2, 3, 1] },
  },
  {
    name: 'does not move what is not there',
    document: {},
    patch: [{ op: 'move', from: '/a', path: '/b' }],
    error: "error in move for path: 'a': Unable to remove nonexistent key: a: missing value",
  },
  {
    name: 'copies a value that then lives on its own',
    document: { a: { n: 1 } },
    patch: [
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'replace', path: '/a/n', value: 2 },
      { op: 'add', path: '/b/m', value: 3 },
    ],
    result: { a: { n: 2 }, b: { n: 1, m: 3 } },
  },
  {
    name: 'copies only from somewhere',
    document: {},
    patch: [{ op: 'copy', path: '/b' }],
    error: 'copy operation failed to decode from: operation, missing from field: missing value',
  },
  {
    name: 'tests deeply and without regard to the order of fields',
    document: { a: { x: [1, { y: null }], z: 'é' } },
    patch: [{ op: 'test', path: '/a', value: { z: 'é', x: [1, { y: null }] } }],
    result: { a: { x: [1, { y: null }], z: 'é' } },
  },
  {
    name: 'takes an absent field for null in a test',
    document: {},
    patch: [{ op: 'test', path: '/a', value: null }],
    result: {},
  },
  {
    name: 'stops at a failed test',
    document: { a: 1 },
    patch: [
      { op: 'add', path: '/b', value: 1 },
      { op: 'test', path: '/a', value: '1' },
    ],
    error: 'testing value /a failed: test failed',
  },
  {
    name: 'tests the whole document',
    document: { a: 1 },
    patch: [{ op: 'test', path: '', value: { a: 2 } }],
    error: 'testing value  failed: test failed',
  },
  {
    name: 'reads ~1 and ~0, in that order',
    document: { 'a/b': 1, '~1': 2 },
    patch: [
      { op: 'replace', path: '/a~1b', value: 3 },
      { op: 'replace', path: '/~01', value: 4 },
    ],
    result: { 'a/b': 3, '~1': 4 },
  },
  {
    name: 'knows the field without a name',
    document: { '': 1 },
    patch: [{ op: 'replace', path: '/', value: 2 }],
    result: { '': 2 },
  },
  {
    name: 'does not know other operations',
    document: {},
    patch: [{ op: 'spam', path: '/a' }],
    error: 'Unexpected kind: spam',
  },
  {
    name: 'needs a path',
    document: {},
    patch: [{ op: 'replace', value: 1 }],
    error: 'replace operation failed to decode path: operation missing path field: missing value',
  },
  {
    name: 'is a list',
    document: {},
    patch: { op: 'add' },
    error:
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    code: 400,
  },
  {
    name: 'is a list of operations',
    document: {},
    patch: ['add'],
    error:
      'error decoding patch: json: cannot unmarshal string into Go value of type handlers.jsonPatchOp',
    code: 400,
  },
  {
    name: 'has operations with names',
    document: {},
    patch: [{ op: 1 }],
    error:
      'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    code: 400,
  },
];

const problemOf = (document: JsonValue, patch: JsonValue): PatchError => {
  try {
    applyJsonPatch(document, patch);
  } catch (error) {
    if (error instanceof PatchError) return error;
    throw error;
  }
  return assert.fail('the patch was applied');
};

describe('a JSON patch', () => {
  for (const { name, document, patch, result, error, code = 422 } of CASES) {
    it(name, () => {
      const before = structuredClone(document);
      if (error === undefined) assert.deepEqual(applyJsonPatch(document, patch), result);
      else {
        const problem = problemOf(document, patch);
        assert.deepEqual([problem.code, problem.message], [code, error]);
      }
      assert.deepEqual(document, before);
    });
  }

  it('may have ten thousand operations and no more', () => {
    const patch = Array.from({ length: 10_000 }, () => ({ op: 'add', path: '/l/-', value: 1 }));
    const { l } = applyJsonPatch({ l: [] }, patch) as { readonly l: readonly number[] };
    assert.equal(l.length, 10_000);
    const problem = problemOf({ l: [] }, [...patch, ...patch.slice(0, 1)]);
    assert.equal(problem.code, 413);
    assert.equal(
      problem.message,
      'The allowed maximum operations in a JSON patch is 10000, got 10001',
    );
  });

  it('does not blow up a document by copies of copies', () => {
    const patch = Array.from({ length: 30 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }));
    assert.match(
      problemOf({ a: ['x'.repeat(100)] }, patch).message,
      /^Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728$/,
    );
  });

  it('treats __proto__ as a name like any other', () => {
    const patch = JSON.parse('[{"op":"add","path":"/__proto__","value":{"polluted":true}}]');
    const result = applyJsonPatch({ a: 1 }, patch);
    assert.equal(JSON.stringify(result), '{"a":1,"__proto__":{"polluted":true}}');
    assert.equal(Object.getPrototypeOf(result), Object.prototype);
    assert.equal(({} as { readonly polluted?: boolean }).polluted, undefined);
    assert.equal(problemOf({}, [{ op: 'add', path: '/__proto__/polluted', value: 1 }]).code, 422);
  });

  it('shares what it does not touch', () => {
    const document = { a: { deep: [1] }, b: { c: 1 } };
    const result = applyJsonPatch(document, [{ op: 'replace', path: '/b/c', value: 2 }]);
    assert.equal((result as typeof document).a, document.a);
  });

  it('undoes an addition by a removal', () => {
    const documents = fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<JsonValue>);
    fc.assert(
      fc.property(documents, fc.string(), (document, name) => {
        fc.pre(!Object.hasOwn(document, name));
        const path = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const patch = [
          { op: 'add', path, value: 1 },
          { op: 'test', path, value: 1 },
          { op: 'remove', path },
        ];
        return sameJson(applyJsonPatch(document, patch), document);
      }),
      { numRuns: 100 },
    );
  });
});
