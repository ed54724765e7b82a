import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exactInteger, parseExactJson } from '../src/exact-json.ts';

test('what JavaScript writes with the same digits stays a number', () => {
  for (const text of ['0', '-1', '9007199254740992', '1000000000000000000', '0.1', '1e+21']) {
    assert.equal(typeof parseExactJson(text), 'number');
  }
  assert.equal(parseExactJson('9007199254740993'), 9007199254740993n);
  assert.equal(parseExactJson('-9223372036854775808'), -(2n ** 63n));
});

test('beyond 64 bits a whole number is a float', () => {
  assert.equal(parseExactJson('9223372036854775808'), 2 ** 63);
  assert.equal(exactInteger(10n ** 30n), 1e30);
});

test('a text with long numbers means what it would mean without them', () => {
  const values = fc.jsonValue({ maxDepth: 3 });
  const numbers = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
  fc.assert(
    fc.property(values, numbers, fc.string(), (value, number, key) => {
      const plain = JSON.parse(JSON.stringify({ key, value }));
      const text = `{"long":${number},${JSON.stringify(plain).slice(1)}`;
      const { long, ...rest } = parseExactJson(text) as { readonly [name: string]: unknown };
      assert.equal(String(JSON.stringify(long)), String(number));
      assert.deepEqual(rest, plain);
    }),
    { numRuns: 200 },
  );
});

test('digits in strings are left alone', () => {
  assert.deepEqual(parseExactJson('{"9007199254740993":"9007199254740993"}'), {
    '9007199254740993': '9007199254740993',
  });
});
