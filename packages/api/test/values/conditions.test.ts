import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition } from '@perigee/api/meta/condition';
import {
  findCondition,
  isConditionTrue,
  removeCondition,
  setForeignCondition,
} from '@perigee/api/values/conditions';

const MINUTE = 60_000;
const start = Date.UTC(2026, 0, 1);
const ready = { type: 'Ready', status: 'True', reason: 'Up', message: 'all is well' } as const;
const bound = { type: 'Bound', status: 'False', reason: 'NoData', message: 'no source' } as const;

test('a new condition comes at the end, with the time of now', () => {
  const conditions = setForeignCondition(
    setForeignCondition(undefined, ready, start),
    bound,
    start + MINUTE,
  );
  assert.deepEqual(conditions, [
    { ...ready, lastTransitionTime: '2026-01-01T00:00:00Z' },
    { ...bound, lastTransitionTime: '2026-01-01T00:01:00Z' },
  ]);
});

test('the time moves with the status only', () => {
  const before = setForeignCondition(setForeignCondition([], ready, start), bound, start);
  const reworded = setForeignCondition(before, { ...ready, message: 'still well' }, start + MINUTE);
  assert.deepEqual(reworded, [
    { ...ready, message: 'still well', lastTransitionTime: '2026-01-01T00:00:00Z' },
    before[1],
  ]);
  const turned = setForeignCondition(reworded, { ...ready, status: 'False' }, start + MINUTE);
  assert.deepEqual(turned[0], {
    ...ready,
    status: 'False',
    lastTransitionTime: '2026-01-01T00:01:00Z',
  });
});

test('the same array comes back when nothing changes, another when anything does', () => {
  const conditions = setForeignCondition([], ready, start);
  assert.equal(setForeignCondition(conditions, ready, start + MINUTE), conditions);
  for (const change of [{ reason: 'Other' }, { message: 'other' }, { observedGeneration: 2 }]) {
    const changed = setForeignCondition(conditions, { ...ready, ...change }, start + MINUTE);
    assert.notEqual(changed, conditions);
    assert.equal(changed[0]?.lastTransitionTime, '2026-01-01T00:00:00Z');
  }
});

test('a condition is found, told true, and removed by its type', () => {
  const conditions: readonly Condition[] = setForeignCondition(
    setForeignCondition([], ready, start),
    bound,
    start,
  );
  assert.equal(findCondition(conditions, 'Bound'), conditions[1]);
  assert.equal(findCondition(undefined, 'Bound'), undefined);
  assert.equal(isConditionTrue(conditions, 'Ready'), true);
  assert.equal(isConditionTrue(conditions, 'Bound'), false);
  assert.equal(isConditionTrue(conditions, 'Absent'), false);
  assert.deepEqual(removeCondition(conditions, 'Ready'), [conditions[1]]);
  assert.equal(removeCondition(conditions, 'Absent'), conditions);
});
