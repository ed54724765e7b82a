import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import fc from 'fast-check';
import { encodeReply } from '../../src/codec/negotiate/encode-reply.ts';
import { listEncoding } from '../../src/codec/negotiate/list-encoding.ts';
import { entrySlices } from '../../src/registry/entry-slices.ts';
import type { Entry } from '../../src/store/store.ts';

const entryOf = (size: number, at: number): Entry => ({
  key: String(at),
  revision: at,
  bytes: Buffer.alloc(size),
  object: {},
});

test('slices are within their limits, as long as they can be, and leave nothing out', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(50), { maxLength: 60 }),
      fc.record({
        bytes: fc.integer({ min: 1, max: 100 }),
        entries: fc.integer({ min: 1, max: 9 }),
      }),
      (sizes, limits) => {
        const entries = sizes.map(entryOf);
        const slices = [...entrySlices(entries, limits)];
        assert.deepEqual(slices.flat(), entries);
        const bytesOf = (slice: readonly Entry[]) =>
          slice.reduce((sum, { bytes }) => sum + bytes.length, 0);
        for (const [at, slice] of slices.entries()) {
          assert.ok(slice.length > 0 && slice.length <= limits.entries);
          assert.ok(slice.length === 1 || bytesOf(slice) <= limits.bytes);
          const next = slices[at + 1]?.[0];
          if (next === undefined) continue;
          const isFull =
            bytesOf([...slice, next]) > limits.bytes || slice.length === limits.entries;
          assert.ok(isFull);
        }
      },
    ),
  );
});

const text = fc.oneof(
  fc.string(),
  fc.string({ minLength: 60, maxLength: 200 }),
  fc.constantFrom(
    'yes',
    '1e3',
    '0x1f',
    '- a',
    'a: b',
    'two\nlines\n',
    ' x ',
    '|',
    '',
    '~',
    '#',
    '\t',
  ),
  fc.lorem({ maxCount: 40 }),
);
const item = fc.dictionary(
  text,
  fc.oneof(
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(text, { maxLength: 3 }),
    fc.dictionary(text, text, { maxKeys: 3 }),
    fc.array(fc.dictionary(text, text, { maxKeys: 2 }), { maxLength: 2 }),
  ),
  { maxKeys: 5 },
);

for (const encoding of [
  { encoding: 'json', isPretty: false },
  { encoding: 'json', isPretty: true },
  { encoding: 'yaml', isPretty: false },
] as const) {
  const form = `${encoding.isPretty ? 'indented ' : ''}${encoding.encoding}`;
  test(`a list in pieces is the same as the whole: ${form}`, () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(item, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        fc.constantFrom('items', 'rows'),
        (slices, field) => {
          const head: JsonObject = {
            kind: 'ThingList',
            apiVersion: 'v1',
            metadata: { resourceVersion: '7' },
          };
          const list = listEncoding(head, field, encoding);
          const pieces = slices.map((slice) => list.items(slice as JsonObject[]));
          const whole = { ...head, [field]: slices.flat() as JsonObject[] };
          assert.equal(
            list.start + pieces.join(list.separator) + list.end,
            encodeReply(whole, encoding),
          );
        },
      ),
      { numRuns: 150 },
    );
  });
}
