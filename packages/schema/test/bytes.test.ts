import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  base64Bytes,
  base64Text,
  compareBytes,
  hexText,
  utf8Bytes,
  utf8Length,
  utf8Text,
} from '../src/bytes.ts';

const text = fc.string({ unit: 'grapheme' });
const bytes = fc.uint8Array();

test('text and bytes are those of Node.js', () => {
  const check = (words: string, data: Uint8Array, other: Uint8Array): void => {
    assert.deepEqual([...utf8Bytes(words)], [...Buffer.from(words)]);
    assert.equal(utf8Length(words), Buffer.byteLength(words));
    assert.equal(utf8Text(data), Buffer.from(data).toString());
    assert.equal(hexText(data), Buffer.from(data).toString('hex'));
    assert.equal(base64Text(data), Buffer.from(data).toString('base64'));
    assert.deepEqual(base64Bytes(base64Text(data)), data);
    assert.equal(Math.sign(compareBytes(data, other)), Buffer.compare(data, other));
  };
  fc.assert(fc.property(text, bytes, bytes, check));
  check('\u{feff}µ€😀', Uint8Array.of(0xef, 0xbb, 0xbf, 0x41, 0xff), Uint8Array.of(0xef, 0xbb));
});

test('base64 that is cut off or broken in lines gives what it holds', () => {
  for (const broken of ['aGFsbG8', 'aGFs\nbG8=', 'aGFsbG8=aGE=', 'aGFsb', '']) {
    assert.deepEqual([...base64Bytes(broken)], [...Buffer.from(broken, 'base64')], broken);
  }
});
