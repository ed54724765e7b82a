import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { formatDuration, parseDuration } from '@perigee/schema/values/duration';
import fc from 'fast-check';

type Case =
  | [text: string, nanos: number, canonical: string]
  | [text: string, failure: { readonly error: string }];

const { durations }: { readonly durations: readonly Case[] } = JSON.parse(
  readFileSync(new URL('./time-cases.json', import.meta.url), 'utf8'),
);

test('reads and writes durations as Go does', () => {
  for (const [text, ...expected] of durations) {
    if (expected.length === 1) {
      assert.throws(() => parseDuration(text), { name: 'ParseError', message: expected[0].error });
      continue;
    }
    const ms = parseDuration(text);
    assert.equal(Math.round(ms * 1e6), expected[0], text);
    assert.equal(formatDuration(ms), expected[1], text);
  }
});

test('a duration beyond 292 years is an error, the longest is not', () => {
  assert.equal(parseDuration('2562047h47m16.854775807s'), (2 ** 63 - 1) / 1e6);
  assert.throws(() => parseDuration('2562047h47m16.854775808s'), { name: 'ParseError' });
  assert.equal(parseDuration('-2562047h47m16.854775808s'), -(2 ** 63) / 1e6);
});

const LONGEST = 99 * 86_400 * 1e9;

test('every nanosecond of three months survives writing and reading', () => {
  fc.assert(
    fc.property(fc.integer({ min: -LONGEST, max: LONGEST }), (nanos) => {
      const ms = nanos / 1e6;
      assert.equal(parseDuration(formatDuration(ms)), ms);
    }),
    { numRuns: 300 },
  );
});
