import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactJson } from '@perigee/schema/exact-json';
import fc from 'fast-check';
import { jsonCopy } from '../../src/client/json-copy.ts';

const written = (value: unknown) => parseExactJson(JSON.stringify(value));

test('a copy is what JSON tells of a value', () => {
  const anything = fc.object({ withDate: true, withBigInt: true });
  fc.assert(
    fc.property(anything, (value) => {
      assert.deepEqual(jsonCopy(value), written(value));
    }),
  );
});

test('what JSON does not tell is left out of objects, and null in lists', () => {
  const value = { a: undefined, b: [undefined, () => 1], c: Number.NaN, d: -0, e: 2n ** 60n };
  assert.deepEqual(jsonCopy(value), { b: [null, null], c: null, d: 0, e: 2n ** 60n });
  assert.equal(jsonCopy(undefined), undefined);
});

test('a field with the name of the prototype is a field', () => {
  const value = JSON.parse('{"__proto__": {"polluted": true}}');
  const copy = jsonCopy(value);
  assert.equal(Object.getPrototypeOf(copy), Object.prototype);
  assert.equal(JSON.stringify(copy), '{"__proto__":{"polluted":true}}');
});

test('a copy does not change with its original', () => {
  const original = { list: [{ name: 'a' }] };
  const copy = jsonCopy(original);
  original.list.push({ name: 'b' });
  (original.list[0] as { name: string }).name = 'c';
  assert.deepEqual(copy, { list: [{ name: 'a' }] });
});
