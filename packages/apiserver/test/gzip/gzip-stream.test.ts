import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { createGunzip, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { deflatedPiece, storedPiece } from '../../src/gzip/gzip-piece.ts';
import { GzipStream } from '../../src/gzip/gzip-stream.ts';

const FORMS = { stored: storedPiece, deflated: deflatedPiece };
type Form = keyof typeof FORMS;

const streamOf = (pieces: readonly (readonly [Form, Buffer])[]): Buffer => {
  const gzip = new GzipStream();
  const sent = pieces.map(([form, content]) => gzip.next(FORMS[form](content)));
  return Buffer.concat([...sent, gzip.end()]);
};

test('pieces in any order are one stream whose checksum and length are right', () => {
  const form = fc.constantFrom<Form>('stored', 'deflated');
  const content = fc
    .tuple(fc.uint8Array({ maxLength: 300 }), fc.nat({ max: 900 }))
    .map(([bytes, times]) => Buffer.concat(Array.from({ length: times }, () => bytes)));
  fc.assert(
    fc.property(fc.array(fc.tuple(form, content), { maxLength: 8 }), (pieces) => {
      const whole = Buffer.concat(pieces.map(([, bytes]) => bytes));
      assert.ok(gunzipSync(streamOf(pieces)).equals(whole));
    }),
  );
});

test('a piece is in several streams, after whatever came before', () => {
  const shared = deflatedPiece(Buffer.from('the same for all, '.repeat(100)));
  const [one, other] = [new GzipStream(), new GzipStream()];
  const before = other.next(storedPiece(Buffer.from('before')));
  const ends = [
    Buffer.concat([one.next(shared), one.next(shared), one.end()]),
    Buffer.concat([before, other.next(shared), other.end()]),
  ];
  const text = 'the same for all, '.repeat(100);
  assert.deepEqual(
    ends.map((bytes) => gunzipSync(bytes).toString()),
    [text + text, `before${text}`],
  );
});

test('what is compressed is compressed once, and is smaller', () => {
  const content = Buffer.from('{"type":"MODIFIED"}\n'.repeat(200));
  assert.equal(deflatedPiece(content), deflatedPiece(content));
  assert.ok(deflatedPiece(content).bytes.length < content.length / 20);
});

test('a reader has all of a piece before the next one comes', async () => {
  const gzip = new GzipStream();
  const reader = createGunzip();
  for (const form of ['stored', 'deflated', 'stored'] as const) {
    const content = Buffer.from(`a ${form} line\n`);
    reader.write(gzip.next(FORMS[form](content)));
    const [read] = await once(reader, 'data');
    assert.equal(read.toString(), content.toString());
  }
  reader.end(gzip.end());
  await once(reader, 'end');
});

test('a stream of nothing is a stream', () => {
  assert.equal(gunzipSync(streamOf([])).length, 0);
});
