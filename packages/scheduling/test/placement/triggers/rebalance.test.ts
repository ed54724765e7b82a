import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  observedWorkloads,
  rebalancerLeftMs,
  rebalancerStatus,
} from '@perigee/scheduling/placement/triggers/rebalance';
import {
  isRebalancedBy,
  REBALANCED_BY,
  withRebalancer,
} from '@perigee/scheduling/placement/triggers/rebalanced-by';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const THEN = '2025-01-01T00:00:00Z';

const workload = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name });
const done = (name: string) => ({ workload: workload(name), result: 'Successful' }) as const;
const failed = (name: string) =>
  ({ workload: workload(name), result: 'Failed', reason: 'ReferencedBindingNotFound' }) as const;

test('resources come and go in the order of their names, and what was done stays', () => {
  const spec = { workloads: ['d', 'b', 'b', 'a'].map(workload) };
  const observed = [done('c'), failed('b'), failed('e')];
  assert.deepEqual(observedWorkloads({ spec, status: { observedWorkloads: observed } }), [
    { workload: workload('a') },
    failed('b'),
    done('c'),
    { workload: workload('d') },
  ]);
  assert.deepEqual(observedWorkloads({ spec: { workloads: [workload('a')] } }), [
    { workload: workload('a') },
  ]);
});

test('a rebalancer has finished when the last result is there, and anew when that changes', () => {
  const metadata = { name: 'r', generation: 2 } as never;
  const open = [done('a'), { workload: workload('b') }];
  const half = rebalancerStatus({ metadata }, open, NOW);
  assert.deepEqual(half, { observedWorkloads: open, observedGeneration: 2 });
  const all = [done('a'), failed('b')];
  const finished = rebalancerStatus({ metadata, status: half }, all, NOW);
  assert.equal(finished.finishTime, '2026-01-01T00:00:00Z');
  assert.deepEqual(rebalancerStatus({ metadata, status: finished }, all, NOW + 60_000), finished);
  const edited = { name: 'r', generation: 3 } as never;
  const later = rebalancerStatus({ metadata: edited, status: finished }, all, NOW + 60_000);
  assert.equal(later.finishTime, '2026-01-01T00:01:00Z');
});

for (const [title, ttlSecondsAfterFinished, finishTime, leftMs] of [
  ['nobody limits it', undefined, THEN, Infinity],
  ['it has not finished', 0, undefined, Infinity],
  ['its time is over', 0, THEN, 0],
  ['its time is not over', 60, '2026-01-01T00:00:00Z', 60_000],
] as const) {
  test(`a rebalancer stays for ${leftMs} ms when ${title}`, () => {
    const spec = {
      workloads: [],
      ...(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }),
    };
    assert.equal(
      rebalancerLeftMs(spec, finishTime === undefined ? {} : { finishTime }, NOW),
      leftMs,
    );
  });
}

test('the mark of a binding names each rebalancer that is there', () => {
  const first = { annotations: { [REBALANCED_BY]: withRebalancer({}, 'a', () => true) } };
  const second = withRebalancer(first, 'b', () => true);
  assert.equal(second, 'a b');
  assert.equal(
    withRebalancer({ annotations: { [REBALANCED_BY]: second } }, 'c', (uid) => uid === 'b'),
    'b c',
  );
  assert.ok(isRebalancedBy(first, 'a'));
  assert.ok(!isRebalancedBy(first, 'b'));
});
