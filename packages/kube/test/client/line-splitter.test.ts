import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineSplitter } from '../../src/client/line-splitter.ts';

const lineText = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', ''));

test('however a text is cut into chunks, its lines come out whole', () => {
  fc.assert(
    fc.property(fc.array(lineText), lineText, fc.array(fc.nat(12)), (lines, rest, cuts) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join('') + rest);
      const splitter = new LineSplitter(1000);
      const got: string[] = [];
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        got.push(...splitter.push(bytes.subarray(at, at + cut)));
        at += cut;
      }
      assert.deepEqual(
        got,
        lines.map((line) => Buffer.from(line).toString()),
      );
      assert.equal(splitter.pendingBytes, Buffer.from(rest).length);
    }),
  );
});

test('a line may be as long as the limit and no longer, in one chunk or in many', () => {
  assert.deepEqual(new LineSplitter(3).push(Buffer.from('abc\nabc\n')), ['abc', 'abc']);
  assert.throws(() => new LineSplitter(3).push(Buffer.from('abcd\n')), RangeError);
  const splitter = new LineSplitter(3);
  splitter.push(Buffer.from('ab'));
  assert.throws(() => splitter.push(Buffer.from('cd')), RangeError);
});
