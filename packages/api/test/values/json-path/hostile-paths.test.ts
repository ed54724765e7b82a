import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParseError } from '@perigee/schema/errors';
import type { JsonValue } from '@perigee/schema/json';
import { parseQuantity } from '@perigee/schema/values/quantity-text';
import { findValues } from '../../../src/values/json-path/find-values.ts';
import { parseJsonPath } from '../../../src/values/json-path/parse-json-path.ts';

test('a path that multiplies what it finds is refused before it fills the memory', () => {
  let deep: JsonValue = {};
  for (let level = 0; level < 200; level++) deep = { a: deep };
  assert.equal(findValues(parseJsonPath('..a'), deep).length, 200);
  assert.throws(() => findValues(parseJsonPath('..a..a..a..a..a'), deep), ParseError);
  const twice = parseJsonPath(`.a${'[0,0]'.repeat(40)}`);
  let nested: JsonValue = 1;
  for (let level = 0; level < 40; level++) nested = [nested];
  assert.throws(() => findValues(twice, { a: nested }), ParseError);
});

test('a filter of many comparison signs is no comparison', () => {
  assert.throws(() => parseJsonPath(`.a[?(@.x${'='.repeat(100_000)})]`), ParseError);
});

test('a quantity of a million digits is refused', () => {
  assert.throws(() => parseQuantity('1'.repeat(1_000_000)), /no more than 1000 characters/);
  assert.throws(() => parseQuantity(`.${'0'.repeat(900)}x`), ParseError);
});
