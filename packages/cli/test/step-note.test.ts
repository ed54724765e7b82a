import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noteOf } from '../src/flows/step-note.ts';

const step = {
  kind: 'DataLoad',
  namespace: 'default',
  name: 'warm',
  phase: 'Executing',
  clusters: ['m1'],
  after: [],
};
const nothing = { bytesDone: 0, bytesTotal: 0, filesDone: 0, filesTotal: 0, percentage: 0 };

test('a step that looks at its source says so, and why it does not get on', () => {
  const message = 'its spec.placement says where it runs';
  assert.equal(noteOf({ ...step, progress: nothing, message }), 'looking at the source');
  const why = 'm1: http://127.0.0.1:9: no answer in 60000 ms';
  const retried = { ...step, progress: { ...nothing, retries: 1 }, message: why };
  assert.equal(noteOf(retried), `looking at the source, 1 retry: ${why}`);
});

test('times and amounts are told in words of their size', () => {
  const progress = { bytesDone: 1, bytesTotal: 2 ** 40, bytesPerSecond: 9, secondsLeft: 1_413_914 };
  assert.equal(noteOf({ ...step, progress }), '1B of 1TiB, 9B/s, 16d left');
  const result = { bytes: 8, files: 1 };
  assert.equal(noteOf({ ...step, phase: 'Complete', result }), '8B, 1 file');
});
