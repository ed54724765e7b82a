import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InventoryStatus } from '@perigee/scheduling/clusters/inventory/record-status';
import { writeDueInMs } from '@perigee/scheduling/clusters/inventory/write-due';

const at = (seconds: number): string => new Date(seconds * 1000).toISOString();

const WRITTEN: InventoryStatus = {
  phase: 'Ready',
  lastSeenTime: at(1000),
  resourcesObservedTime: at(1000),
  allocated: { cpu: '1' },
};

const due = (next: Partial<InventoryStatus>, nowSeconds: number) =>
  writeDueInMs(
    WRITTEN,
    { ...WRITTEN, ...next },
    { nowMs: nowSeconds * 1000, amountsEveryMs: 30_000, seenEveryMs: 150_000 },
  );

test('a new phase is written at once', () => {
  assert.equal(due({ phase: 'Unreachable' }, 1001), 0);
});

test('amounts alone wait until the last ones are old enough', () => {
  assert.equal(due({ allocated: { cpu: '2' }, resourcesObservedTime: at(1010) }, 1010), 20_000);
  assert.equal(due({ allocated: { cpu: '2' }, resourcesObservedTime: at(1040) }, 1040), 0);
});

test('to be seen again is worth a write only now and then', () => {
  assert.equal(due({ lastSeenTime: at(1149) }, 1149), undefined);
  assert.equal(due({ lastSeenTime: at(1150) }, 1150), 0);
});

test('the time at which the same was read again is worth none', () => {
  assert.equal(due({ resourcesObservedTime: at(5000) }, 5000), undefined);
});
