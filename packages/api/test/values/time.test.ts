import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { formatMicroTime, formatTime, parseTime } from '@perigee/api/values/time';
import fc from 'fast-check';

/** What Go answers; a text alone is not a time. */
const {
  times,
}: { readonly times: readonly ([text: string] | [text: string, time: string, micro: string])[] } =
  JSON.parse(readFileSync(new URL('./time-cases.json', import.meta.url), 'utf8'));

test('reads and writes times as Kubernetes does', () => {
  for (const [text, ...expected] of times) {
    if (expected.length === 0) {
      assert.throws(() => parseTime(text), { name: 'ParseError' }, text);
      continue;
    }
    assert.equal(formatTime(parseTime(text)), expected[0], text);
    assert.equal(formatMicroTime(parseTime(text)), expected[1], text);
  }
});

test('an error says what is wrong', () => {
  assert.throws(
    () => parseTime('2026-02-30T00:00:00Z'),
    /"2026-02-30T00:00:00Z" is not a time: day out of range; write RFC 3339, such as/,
  );
});

test('every microsecond of three centuries survives writing and reading', () => {
  const [first, last] = [Date.UTC(1950, 0) * 1000, Date.UTC(2240, 0) * 1000];
  fc.assert(
    fc.property(fc.integer({ min: first, max: last }), (micros) => {
      const ms = micros / 1000;
      assert.equal(parseTime(formatMicroTime(ms)), ms);
      assert.equal(parseTime(formatTime(ms)), Math.floor(ms / 1000) * 1000);
    }),
    { numRuns: 500 },
  );
});
