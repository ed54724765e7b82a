import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ClusterTaint } from '@perigee/api/kinds/clusters/cluster-taints';
import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import { EvictionError } from '@perigee/scheduling/errors';
import {
  DEFAULT_EVICTION_RATES,
  evictionRate,
} from '@perigee/scheduling/placement/failover/eviction-rate';
import { judgeTaints, type PurgeMode } from '@perigee/scheduling/placement/failover/taint-eviction';
import { formatTime } from '@perigee/schema/values/time';

const NOW = Date.UTC(2026, 0, 1);
const gone: ClusterTaint = { key: 'gone', effect: 'NoExecute', timeAdded: formatTime(NOW) };
const taintsOf = (name: string) => (name === 'm1' ? [gone] : []);

const specOf = (fields: Partial<BindingSpec> = {}): BindingSpec =>
  ({
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: 'default' },
    clusters: [{ name: 'm1', replicas: 2 }, { name: 'm2' }],
    ...fields,
  }) as BindingSpec;

const judge = (spec: BindingSpec, purgeMode: PurgeMode = 'Gracefully') =>
  judgeTaints({ spec, appliedPlacement: {} }, taintsOf, { nowMs: NOW, purgeMode });

const rule = (jsonPath: string) => ({
  cluster: {
    purgeMode: 'Gracefully' as const,
    statePreservation: { rules: [{ aliasLabelName: 'job-id', jsonPath }] },
  },
});

const withState = (jsonPath: string, status: object | undefined) =>
  judgeTaints(
    {
      spec: specOf({ failover: rule(jsonPath) }),
      appliedPlacement: {},
      status: {
        aggregatedStatus: [{ clusterName: 'm1', ...(status ? { status: status as never } : {}) }],
      },
    },
    taintsOf,
    { nowMs: NOW, purgeMode: 'Gracefully' },
  ).evicted?.placement.gracefulEvictionTasks[0];

describe('eviction by taints', () => {
  it('moves a cluster from the targets to the tasks', () => {
    assert.deepEqual(judge(specOf()).evicted, {
      from: ['m1'],
      placement: {
        clusters: [{ name: 'm2' }],
        gracefulEvictionTasks: [
          {
            fromCluster: 'm1',
            purgeMode: 'Gracefully',
            reason: 'TaintUntolerated',
            message: 'the taint gone:NoExecute of the cluster is not, or no longer, tolerated',
            producer: 'TaintManager',
            replicas: 2,
          },
        ],
      },
    });
  });

  it('adds no second task for a cluster that the work leaves already', () => {
    const task = { fromCluster: 'm1', reason: 'ApplicationFailure', producer: 'x' };
    const { evicted } = judge(specOf({ gracefulEvictionTasks: [task] }));
    assert.deepEqual(evicted?.placement.gracefulEvictionTasks, [task]);
  });

  it('leaves what is tolerated, and says when to look again', () => {
    const tolerations = [{ key: 'gone', operator: 'Exists', tolerationSeconds: 90 }] as const;
    const judged = judgeTaints(
      { spec: specOf(), appliedPlacement: { clusterTolerations: tolerations } },
      taintsOf,
      { nowMs: NOW + 30_000, purgeMode: 'Gracefully' },
    );
    assert.deepEqual(judged, { nextMs: 60_000 });
  });

  const modes: readonly (readonly [string, BindingSpec['failover'], PurgeMode, string])[] = [
    ['no policy, Gracefully by option', undefined, 'Gracefully', 'Gracefully'],
    ['no policy, Directly by option', undefined, 'Directly', 'Directly'],
    ['a policy for applications only', {}, 'Directly', 'Directly'],
    ['Directly by policy', { cluster: { purgeMode: 'Directly' } }, 'Gracefully', 'Directly'],
    ['Gracefully by policy', { cluster: { purgeMode: 'Gracefully' } }, 'Directly', 'Gracefully'],
  ];
  for (const [name, failover, option, expected] of modes) {
    it(`purges ${expected}: ${name}`, () => {
      const spec = specOf(failover === undefined ? {} : { failover });
      const [task] = judge(spec, option).evicted?.placement.gracefulEvictionTasks ?? [];
      assert.equal(task?.purgeMode, expected);
    });
  }

  const status = { jobId: 'abc', n: 3, list: [{ a: 1 }, { a: 2 }], deep: { x: true } };
  const states: readonly (readonly [string, string])[] = [
    ['{.jobId}', 'abc'],
    ['.jobId', 'abc'],
    ['{.n}', '3'],
    ['id-{.jobId}-{.n}', 'id-abc-3'],
    ['{.list[1].a}', '2'],
  ];
  for (const [path, expected] of states) {
    it(`takes ${path} along`, () => {
      const task = withState(path, status);
      assert.deepEqual(task?.preservedLabelState, { 'job-id': expected });
      assert.deepEqual(task?.clustersBeforeFailover, ['m1', 'm2']);
    });
  }

  it('keeps the work where it is while its state cannot be read', () => {
    const cannot = (match: RegExp) => (error: unknown) =>
      error instanceof EvictionError && match.test(error.message);
    assert.throws(() => withState('{.jobId}', undefined), cannot(/not known yet/));
    assert.throws(() => withState('{.missing}', status), cannot(/nothing at \.missing/));
    assert.throws(() => withState('{jobId!}', status), cannot(/is not a path/));
  });

  it('keeps the work where it is while its state is no label: the new copy was refused', () => {
    const times = { ...status, at: '2026-01-01T00:00:00Z', long: 'x'.repeat(64) };
    for (const path of ['{.list[*].a}', '{.deep}', '{.at}', '{.long}']) {
      assert.throws(
        () => withState(path, times),
        (error) => error instanceof EvictionError && /cannot be taken along/.test(error.message),
      );
    }
  });
});

describe('the rate of evictions', () => {
  const rate = (total: number, unhealthy: number) =>
    evictionRate({ total, unhealthy }, DEFAULT_EVICTION_RATES);

  it('falls when most clusters are unhealthy', () => {
    assert.deepEqual(
      [rate(0, 0), rate(10, 0), rate(10, 5), rate(10, 6), rate(100, 55), rate(10, 9)],
      [0.5, 0.5, 0.5, 0.1, 0.1, 0.1],
    );
  });

  it('is nothing when all clusters are unhealthy, which is to say when we are cut off', () => {
    assert.deepEqual([rate(1, 1), rate(10, 10)], [0, 0]);
  });

  it('never rises when clusters fall ill', () => {
    const rates = { ...DEFAULT_EVICTION_RATES, perSecond: 0.01 };
    assert.equal(evictionRate({ total: 3, unhealthy: 2 }, rates), 0.01);
  });
});
