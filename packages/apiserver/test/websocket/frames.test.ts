import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FrameReader, frameOf, OPCODES } from '../../src/websocket/frames.ts';

/** A frame as a client sends it. */
const masked = (opcode: number, payload: Uint8Array, mask: Uint8Array): Buffer => {
  const plain = frameOf(opcode, payload);
  const head = Buffer.from(plain.subarray(0, plain.length - payload.length));
  head[1] = (head[1] ?? 0) | 0x80;
  return Buffer.concat([head, mask, payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0))]);
};

const NOTHING = { messages: [], isBroken: false };

test('control messages are found among data, however the bytes come', () => {
  const frame = fc.record({
    opcode: fc.constantFrom(...Object.values(OPCODES)),
    payload: fc.uint8Array({ maxLength: 125 }),
    mask: fc.uint8Array({ minLength: 4, maxLength: 4 }),
  });
  const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 8 }), cuts, (frames, steps) => {
      const bytes = Buffer.concat(frames.map((f) => masked(f.opcode, f.payload, f.mask)));
      const reader = new FrameReader();
      const found: unknown[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const end = at + (steps[turn % steps.length] ?? 1);
        for (const { opcode, payload } of reader.push(bytes.subarray(at, end)).messages) {
          found.push([opcode, payload.toString('hex')]);
        }
        at = end;
      }
      const expected = frames
        .filter(({ opcode }) => opcode !== OPCODES.text)
        .map(({ opcode, payload }) => [opcode, Buffer.from(payload).toString('hex')]);
      assert.deepEqual(found, expected);
    }),
    { numRuns: 100 },
  );
});

test('data of any size is skipped', () => {
  const mask = Buffer.from([1, 2, 3, 4]);
  const reader = new FrameReader();
  for (const size of [126, 70_000]) {
    assert.deepEqual(reader.push(masked(OPCODES.text, Buffer.alloc(size), mask)), NOTHING);
  }
  const [ping] = reader.push(masked(OPCODES.ping, Buffer.from('x'), mask)).messages;
  assert.deepEqual(ping, { opcode: OPCODES.ping, payload: Buffer.from('x') });
});

test('what breaks the protocol is told', () => {
  const isBroken = (frame: Buffer) => new FrameReader().push(frame).isBroken;
  assert.ok(isBroken(frameOf(OPCODES.text, Buffer.from('x'))));
  const mask = Buffer.alloc(4);
  assert.ok(isBroken(masked(OPCODES.ping, Buffer.alloc(126), mask)));
  const unfinished = masked(OPCODES.ping, Buffer.from('x'), mask);
  unfinished[0] = OPCODES.ping;
  assert.ok(isBroken(unfinished));
});
