import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { ResourceHealth } from '@perigee/api/kinds/placement/resource-health';
import { EvictionError } from '@perigee/scheduling/errors';
import {
  failureCause,
  judgeFailure,
} from '@perigee/scheduling/placement/failover/application-failure';

const NOW = 1_000_000;

interface Case {
  readonly name: string;
  readonly health: { readonly [cluster: string]: ResourceHealth };
  readonly since?: { readonly [cluster: string]: number };
  readonly leaving?: readonly string[];
  readonly tolerationSeconds?: number;
  readonly expected: object;
}

const cases: readonly Case[] = [
  {
    name: 'healthy everywhere',
    health: { m1: 'Healthy', m2: 'Healthy' },
    expected: { since: {}, failedClusters: [] },
  },
  {
    name: 'nobody knows',
    health: { m1: 'Unknown' },
    since: { m1: 0 },
    expected: { since: {}, failedClusters: [] },
  },
  {
    name: 'just now unhealthy',
    health: { m1: 'Unhealthy', m2: 'Healthy' },
    expected: { since: { m1: NOW }, failedClusters: [], nextMs: 10_000 },
  },
  {
    name: 'unhealthy for a while',
    health: { m1: 'Unhealthy' },
    since: { m1: NOW - 4000 },
    expected: { since: { m1: NOW - 4000 }, failedClusters: [], nextMs: 6000 },
  },
  {
    name: 'unhealthy for too long',
    health: { m1: 'Unhealthy', m2: 'Unhealthy' },
    since: { m1: NOW - 10_000, m2: NOW - 1000 },
    expected: { since: { m2: NOW - 1000 }, failedClusters: ['m1'], nextMs: 9000 },
  },
  {
    name: 'healthy again: the time begins anew',
    health: { m1: 'Healthy' },
    since: { m1: NOW - 9000 },
    expected: { since: {}, failedClusters: [] },
  },
  {
    name: 'not tolerated at all: at once',
    health: { m1: 'Unhealthy' },
    tolerationSeconds: 0,
    expected: { since: {}, failedClusters: ['m1'] },
  },
  {
    name: 'leaving already',
    health: { m1: 'Unhealthy' },
    since: { m1: 0 },
    leaving: ['m1'],
    expected: { since: {}, failedClusters: [] },
  },
  {
    name: 'no longer a target',
    health: { m9: 'Unhealthy' },
    since: { m9: 0 },
    expected: { since: {}, failedClusters: [] },
  },
];

const toTask = (fromCluster: string) => ({ fromCluster, reason: 'X', producer: 'x' });

describe('unhealthy applications', () => {
  for (const {
    name,
    health,
    since = {},
    leaving = [],
    tolerationSeconds = 10,
    expected,
  } of cases) {
    it(name, () => {
      const aggregatedStatus = Object.entries(health).map(([clusterName, one]) => ({
        clusterName,
        health: one,
      }));
      const judged = judgeFailure(
        {
          clusters: [{ name: 'm1' }, { name: 'm2' }],
          gracefulEvictionTasks: leaving.map(toTask),
        },
        { aggregatedStatus },
        new Map(Object.entries(since)),
        { nowMs: NOW, tolerationSeconds },
      );
      assert.deepEqual({ ...judged, since: Object.fromEntries(judged.since) }, expected);
    });
  }
});

type Failover = Parameters<typeof failureCause>[0];

describe('what the eviction of a failed application says', () => {
  const binding = {
    spec: { clusters: [{ name: 'm1' }, { name: 'm2' }] } as unknown as BindingSpec,
    status: { aggregatedStatus: [{ clusterName: 'm1', status: { at: 7 } as never }] },
  };
  const cause = (failover: Omit<Failover, 'decisionConditions'>, from = 'm1') =>
    failureCause(
      { decisionConditions: { tolerationSeconds: 1 }, ...failover },
      binding,
      from,
      'producer',
    );
  const said = { reason: 'ApplicationFailure', producer: 'producer' };

  it('Gracefully has a grace period', () => {
    assert.deepEqual(cause({ purgeMode: 'Gracefully', gracePeriodSeconds: 60 }), {
      ...said,
      purgeMode: 'Gracefully',
      gracePeriodSeconds: 60,
    });
  });

  it('Directly has none', () => {
    assert.deepEqual(cause({ purgeMode: 'Directly' }), { ...said, purgeMode: 'Directly' });
  });

  it('Never keeps the old copy until somebody says otherwise', () => {
    assert.deepEqual(cause({ purgeMode: 'Never' }), {
      ...said,
      purgeMode: 'Never',
      suppressDeletion: true,
    });
  });

  const rules = [{ aliasLabelName: 'at', jsonPath: '{.at}' }];

  it('takes state along', () => {
    assert.deepEqual(cause({ purgeMode: 'Directly', statePreservation: { rules } }), {
      ...said,
      purgeMode: 'Directly',
      preservedLabelState: { at: '7' },
      clustersBeforeFailover: ['m1', 'm2'],
    });
  });

  it('takes nothing along when there are no rules', () => {
    const { preservedLabelState, clustersBeforeFailover } = cause({
      purgeMode: 'Directly',
      statePreservation: { rules: [] },
    });
    assert.deepEqual([preservedLabelState, clustersBeforeFailover], [undefined, undefined]);
  });

  it('refuses while the state is not known', () => {
    assert.throws(
      () => cause({ purgeMode: 'Directly', statePreservation: { rules } }, 'm2'),
      EvictionError,
    );
  });
});
