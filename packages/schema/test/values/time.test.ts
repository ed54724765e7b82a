import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { formatMicroTime, formatTime, isPlainTime, parseTime } from '@perigee/schema/values/time';
import fc from 'fast-check';

/** Results of Go; an entry with a text alone is no time. */
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

test('a plain time is one that would be written the same', () => {
  for (const [text, written] of times) {
    if (isPlainTime(text)) assert.equal(written, text);
  }
  const near = fc
    .tuple(
      fc.constantFrom('2026', '0000', '1900', '202'),
      fc.constantFrom('00', '01', '02', '12', '13'),
      fc.constantFrom('00', '01', '28', '29', '31', '32'),
      fc.constantFrom('00', '19', '23', '24', '7'),
      fc.constantFrom('00', '59', '60'),
      fc.constantFrom('00Z', '59Z', '60Z', '05.1Z', '05+00:00', '05Z\n'),
    )
    .map(([year, month, day, hour, minute, rest]) => {
      return `${year}-${month}-${day}T${hour}:${minute}:${rest}`;
    });
  fc.assert(
    fc.property(near, (text) => {
      if (isPlainTime(text)) assert.equal(formatTime(parseTime(text)), text);
    }),
    { numRuns: 500 },
  );
  assert.ok(isPlainTime('2026-02-28T23:59:59Z'));
});
