import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { applyMergePatch } from '../../src/patch/merge-patch.ts';

const CASES: readonly (readonly [JsonObject, JsonObject, JsonObject])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  [{ a: 1 }, { a: { b: null, c: 2 } }, { a: { c: 2 } }],
];

describe('a JSON merge patch', () => {
  for (const [document, patch, result] of CASES) {
    it(`turns ${JSON.stringify(document)} by ${JSON.stringify(patch)}`, () => {
      const before = structuredClone([document, patch]);
      assert.deepEqual(applyMergePatch(document, patch), result);
      assert.deepEqual([document, patch], before);
    });
  }

  it('returns the document itself when it changes nothing, and shares what it does not touch', () => {
    const document = { a: { b: 1 }, c: { d: 2 } };
    assert.equal(applyMergePatch(document, { a: { b: 1, x: null } }), document);
    assert.equal(applyMergePatch(document, { a: { b: 2 } }).c, document.c);
  });

  it('treats __proto__ as a name like any other', () => {
    const patch: JsonObject = JSON.parse('{"__proto__":{"polluted":true},"a":{"__proto__":null}}');
    const result = applyMergePatch({ a: {} }, patch);
    assert.equal(JSON.stringify(result), '{"a":{},"__proto__":{"polluted":true}}');
    assert.equal(Object.getPrototypeOf(result), Object.prototype);
  });

  for (const patch of [null, [], 1] as readonly JsonValue[]) {
    it(`is not ${JSON.stringify(patch)}`, () => {
      assert.throws(() => applyMergePatch({}, patch), { name: 'PatchError', code: 400 });
    });
  }
});
