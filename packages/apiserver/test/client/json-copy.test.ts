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

test('a copy of what is nearly known has the known parts, and is the same', () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(json, json, json, (kept, before, after) => {
      const known = { list: [kept, before, kept], map: { kept, other: before }, kept };
      const value = { list: [kept, after, kept], map: { kept, other: after }, kept };
      const copy = jsonCopy(structuredClone(value), known as never) as typeof value;
      assert.equal(JSON.stringify(copy), JSON.stringify(written(value)));
      assert.equal(copy.kept, (known as typeof value).kept);
      assert.equal(copy.map.kept, (known as typeof value).map.kept);
      assert.equal(copy.list[2], (known as typeof value).list[2]);
    }),
  );
});

test('a copy that is as what is known in all but the order is not that', () => {
  assert.equal(JSON.stringify(jsonCopy({ b: 1, a: 2 }, { a: 2, b: 1 })), '{"b":1,"a":2}');
  assert.deepEqual(jsonCopy({ a: 1 }, { a: 1, b: 2 }), { a: 1 });
  assert.deepEqual(jsonCopy({ a: undefined, b: 2 }, { a: 1, b: 2 }), { b: 2 });
  assert.deepEqual(jsonCopy([1], [1, 2]), [1]);
  const polluted = JSON.parse('{"a": 1, "__proto__": {"b": 2}}');
  const known = JSON.parse('{"a": 1, "__proto__": {"b": 3}}');
  assert.equal(JSON.stringify(jsonCopy(polluted, known)), JSON.stringify(polluted));
});
