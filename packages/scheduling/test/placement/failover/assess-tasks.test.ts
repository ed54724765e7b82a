import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { GracefulEvictionTask } from '@perigee/api/kinds/placement/graceful-eviction-task';
import {
  assessTasks,
  type EvictionState,
} from '@perigee/scheduling/placement/failover/assess-tasks';
import { formatTime } from '@perigee/schema/values/time';

const NOW = Date.UTC(2026, 0, 1, 12);
const MINUTE = 60_000;

const task = (from: string, fields: Partial<GracefulEvictionTask> = {}): GracefulEvictionTask => ({
  fromCluster: from,
  reason: 'TaintUntolerated',
  producer: 'TaintManager',
  creationTimestamp: formatTime(NOW - MINUTE),
  ...fields,
});

const old = { creationTimestamp: formatTime(NOW - 4 * MINUTE) };
const healthy = (clusterName: string) => ({ clusterName, health: 'Healthy' as const });

interface Case {
  readonly name: string;
  readonly state: Partial<EvictionState>;
  readonly openTasks: readonly string[];
  readonly nextMs?: number;
}

const cases: readonly Case[] = [
  { name: 'no tasks', state: { tasks: [] }, openTasks: [] },
  {
    name: 'in time, not scheduled: goes on',
    state: { tasks: [task('m1')] },
    openTasks: ['m1'],
    nextMs: 2 * MINUTE,
  },
  { name: 'out of time: ends', state: { tasks: [task('m1', old)] }, openTasks: [] },
  {
    name: 'exactly at its time: ends',
    state: { tasks: [task('m1', { creationTimestamp: formatTime(NOW - 3 * MINUTE) })] },
    openTasks: [],
  },
  {
    name: 'in time, scheduled, replacement healthy: ends',
    state: {
      tasks: [task('m1')],
      isScheduled: true,
      clusters: [{ name: 'm2' }],
      aggregatedStatus: [healthy('m2')],
    },
    openTasks: [],
  },
  {
    name: 'healthy, but by an earlier decision: goes on',
    state: {
      tasks: [task('m1')],
      clusters: [{ name: 'm2' }],
      aggregatedStatus: [healthy('m2')],
    },
    openTasks: ['m1'],
    nextMs: 2 * MINUTE,
  },
  ...(['Unhealthy', 'Unknown', undefined] as const).map((health) => ({
    name: `one replacement is ${health}: goes on`,
    state: {
      tasks: [task('m1')],
      isScheduled: true,
      clusters: [{ name: 'm2' }, { name: 'm3' }],
      aggregatedStatus: [
        healthy('m2'),
        { clusterName: 'm3', ...(health === undefined ? {} : { health }) },
      ],
    },
    openTasks: ['m1'],
    nextMs: 2 * MINUTE,
  })),
  {
    name: 'one replacement has not reported: goes on',
    state: {
      tasks: [task('m1')],
      isScheduled: true,
      clusters: [{ name: 'm2' }, { name: 'm3' }],
      aggregatedStatus: [healthy('m2')],
    },
    openTasks: ['m1'],
    nextMs: 2 * MINUTE,
  },
  {
    name: 'health of the old cluster is of no account',
    state: {
      tasks: [task('m1')],
      isScheduled: true,
      clusters: [{ name: 'm2' }],
      aggregatedStatus: [{ clusterName: 'm1', health: 'Unhealthy' }, healthy('m2')],
    },
    openTasks: [],
  },
  {
    name: 'suppressed: goes on, whatever happens, and nobody looks again',
    state: {
      tasks: [task('m1', { ...old, suppressDeletion: true })],
      isScheduled: true,
      clusters: [{ name: 'm2' }],
      aggregatedStatus: [healthy('m2')],
    },
    openTasks: ['m1'],
  },
  {
    name: 'no longer suppressed: ends at once',
    state: { tasks: [task('m1', { suppressDeletion: false })] },
    openTasks: [],
  },
  {
    name: 'own grace period is longer: goes on',
    state: { tasks: [task('m1', { ...old, gracePeriodSeconds: 300 })] },
    openTasks: ['m1'],
    nextMs: MINUTE,
  },
  {
    name: 'own grace period is shorter: ends, and holds for this task alone',
    state: { tasks: [task('m1', { gracePeriodSeconds: 30 }), task('m2')] },
    openTasks: ['m2'],
    nextMs: 2 * MINUTE,
  },
  {
    name: 'some in time, some not',
    state: { tasks: [task('m1', old), task('m2'), task('m3', { suppressDeletion: true })] },
    openTasks: ['m2', 'm3'],
    nextMs: 2 * MINUTE,
  },
];

const assess = (state: Partial<EvictionState>) =>
  assessTasks(
    { tasks: [], clusters: [], aggregatedStatus: [], isScheduled: false, ...state },
    { nowMs: NOW, graceMs: 3 * MINUTE },
  );

describe('assessing evictions', () => {
  for (const { name, state, openTasks, nextMs } of cases) {
    it(name, () => {
      const assessed = assess(state);
      assert.deepEqual(
        assessed.openTasks.map(({ fromCluster }) => fromCluster),
        openTasks,
      );
      const all = (state.tasks ?? []).map(({ fromCluster }) => fromCluster);
      assert.deepEqual(
        assessed.endedClusters,
        all.filter((cluster) => !openTasks.includes(cluster)),
      );
      assert.equal(assessed.nextMs, nextMs);
    });
  }

  it('gives a new task the time of its beginning, and judges it later', () => {
    const { creationTimestamp, ...fresh } = task('m1');
    const assessed = assess({
      tasks: [fresh],
      isScheduled: true,
      clusters: [{ name: 'm2' }],
      aggregatedStatus: [healthy('m2')],
    });
    assert.deepEqual(assessed, {
      openTasks: [{ ...fresh, creationTimestamp: formatTime(NOW) }],
      endedClusters: [],
      nextMs: 3 * MINUTE,
    });
    assert.notEqual(creationTimestamp, formatTime(NOW));
  });
});
