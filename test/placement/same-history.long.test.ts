import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from './simulation.ts';

test('the same seed gives the same history, byte for byte, and another seed another', async (t) => {
  const first = await simulate(1);
  const second = await simulate(1);
  const at = first.lines.findIndex((line, index) => line !== second.lines[index]);
  if (at >= 0) assert.equal(second.lines[at], first.lines[at], `they part at event ${at}`);
  assert.equal(second.hash, first.hash);
  t.diagnostic(`${first.lines.length} events, ${first.hash}`);
  assert.ok(first.lines.length > 2000, 'much has happened');
  assert.ok(
    first.lines.some((line) => /clusters member2 .*"reason":"ClusterNotReachable"/.test(line)),
    'a member was lost',
  );
  const other = await simulate(2);
  assert.notEqual(other.hash, first.hash);
  // Chance decides about names and moments, and not about what becomes of the work.
  assert.deepEqual(other.ready, first.ready);
});
