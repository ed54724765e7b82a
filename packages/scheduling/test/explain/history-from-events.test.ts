import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyFromEvents } from '@perigee/scheduling/explain/history/history-from-events';
import type { HistoryEntry } from '@perigee/scheduling/explain/history/placement-history';

const recorded: readonly HistoryEntry[] = [
  {
    at: '2026-01-01T00:10:00Z',
    event: 'Placed',
    cause: 'PlacementChanged',
    before: '',
    after: 'm1:2',
    message: '',
  },
];
const scheduled = (at: string, result: string) => ({
  at,
  reason: 'ScheduleBindingSucceed',
  message: `Binding has been scheduled successfully. Result: {${result}}`,
  by: 'default-scheduler',
});

test('Events tell what a binding does not note, in the order of time, each cause once', () => {
  const evicted = {
    at: '2026-01-01T00:20:00Z',
    reason: 'EvictWorkloadFromClusterSucceed',
    message: 'Evicted from m1',
  };
  const events = [
    evicted,
    evicted,
    scheduled('2026-01-01T00:01:00Z', 'm2:1, m3:1'),
    scheduled('2026-01-01T00:10:00Z', 'm1:2'),
    { at: '2026-01-01T00:00:00Z', reason: 'WorkHeld', message: 'waits for data' },
    { at: '2026-01-01T00:30:00Z', reason: 'SyncSucceed', message: 'no matter' },
    { at: '2026-01-01T00:30:00Z', reason: 'constructor', message: 'a property of objects' },
  ];
  const told = historyFromEvents(events, recorded);
  assert.deepEqual(
    told.map(({ at = '', event, after }) => `${at.slice(14, 16)} ${event} ${after}`),
    ['00 Held ', '01 Placed m2:1 m3:1', '10 Placed m1:2', '20 Evicting '],
  );
  assert.equal(told[1]?.by, 'default-scheduler');
});

test('without a record, Events of placements tell', () => {
  const [entry] = historyFromEvents([scheduled('2026-01-01T00:10:00Z', 'm1:2')], []);
  assert.deepEqual([entry?.event, entry?.after], ['Placed', 'm1:2']);
});
