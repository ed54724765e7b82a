import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { heldWord } from '../../src/queues/held-message.ts';

suite('why work is held', () => {
  test('fits into a condition when the work asks for thousands of resources', () => {
    const names = Array.from({ length: 9000 }, (_, at) => `example.com/r${at}`);
    const missing = new Map(['cpu', ...names].map((name) => [name, 2000]));
    const verdict = { kind: 'capacity', missing, clusters: ['c1'], position: 1 } as const;
    const { message = '', essence = '' } = heldWord(verdict, 'q', 0) ?? {};
    assert.match(message, /^waits in the queue q: cpu 2, .* and 8993 more is missing where it may/);
    assert.ok(message.length + essence.length < 1000);
  });
});
