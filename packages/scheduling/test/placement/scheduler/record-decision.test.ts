import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import {
  bindingPatch,
  type ClusterOf,
  clustersAfter,
  type DecisionFacts,
  statusAfter,
} from '@perigee/scheduling/placement/scheduler/record-decision';
import type { Decision } from '@perigee/scheduling/placement/scheduler/schedule';
import type { Outcome } from '../../../src/placement/scheduler/outcome.ts';
import { bindingOf, scheduled } from '../binding-of.ts';

const reasoning = { refused: [], candidates: [], scores: {}, selected: [] };
const decisionOf = (outcome: Outcome): Decision => ({ outcome, attempts: [outcome] });
const refused = (reason: 'NoClusterFit' | 'Unschedulable') =>
  decisionOf({ kind: 'refused', reason, message: 'no', reasoning });
const placed = (...names: readonly string[]) =>
  decisionOf({ kind: 'placed', clusters: names.map((name) => ({ name })), reasoning });
const nowhere = refused('NoClusterFit');

const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const abandoned = { ...going, annotations: { 'globalscheduler.com/abandon': 'true' } };
const CLUSTERS: { readonly [name: string]: object } = { m1: {}, m2: {}, going, abandoned };
const clusterOf: ClusterOf = (name) =>
  name in CLUSTERS ? ({ metadata: { name, ...CLUSTERS[name] } } as never) : undefined;

const made = (
  decision: Decision,
  cause: DecisionFacts['cause'] = 'PlacementChanged',
): DecisionFacts => ({
  decision,
  cause,
  clusterOf,
});

const duplicated = { replicaScheduling: { replicaSchedulingType: 'Duplicated' } } as const;
const divided = { replicaScheduling: { replicaSchedulingType: 'Divided' } } as const;
const on = (...shares: readonly string[]): NonNullable<BindingSpec['clusters']> =>
  shares.map((share) => {
    const [name = '', replicas] = share.split(':');
    return replicas === undefined ? { name } : { name, replicas: Number(replicas) };
  });

describe('work that no cluster fits', () => {
  const cases: readonly (readonly [string, Partial<BindingSpec>, readonly string[]])[] = [
    [
      'stays where it runs',
      { replicas: 3, clusters: on('m1:2', 'm2:1'), placement: divided },
      ['m1:2', 'm2:1'],
    ],
    ['also when it has no replicas', { clusters: on('m1', 'm2') }, ['m1', 'm2']],
    ['goes nowhere when it was nowhere', { replicas: 3, placement: divided }, []],
    [
      'gets no further replicas',
      { replicas: 9, clusters: on('m1:2'), placement: divided },
      ['m1:2'],
    ],
    [
      'gives up those that nobody wants',
      { replicas: 2, clusters: on('m1:4', 'm2:4'), placement: divided },
      ['m1:1', 'm2:1'],
    ],
    [
      'and in each cluster, where each has all',
      { replicas: 1, clusters: on('m1:3', 'm2:3'), placement: duplicated },
      ['m1:1', 'm2:1'],
    ],
    [
      'ends when none are wanted',
      { replicas: 0, replicaRequirements: {}, clusters: on('m1:3'), placement: divided },
      [],
    ],
    [
      'follows its template once nobody counts its replicas',
      { replicas: 0, clusters: on('m1:3'), placement: divided },
      ['m1'],
    ],
    [
      'stays on a cluster that waits for it to leave',
      { replicas: 2, clusters: on('going:2'), placement: divided },
      ['going:2'],
    ],
    [
      'not on one that waits for nobody',
      { replicas: 4, clusters: on('abandoned:2', 'm1:2'), placement: divided },
      ['m1:2'],
    ],
    [
      'nor on one that is gone',
      { replicas: 4, clusters: on('gone:2', 'm1:2'), placement: divided },
      ['m1:2'],
    ],
    [
      'keeps the parts of a set',
      {
        components: [
          { name: 'a', replicas: 1 },
          { name: 'b', replicas: 1 },
        ],
        clusters: [{ name: 'm1', components: [{ name: 'a', replicas: 1 }] }],
      },
      ['m1'],
    ],
  ];
  for (const [title, spec, expected] of cases) {
    it(title, () => {
      const after = clustersAfter(nowhere, bindingOf(spec).spec, clusterOf);
      const shares = after.map(({ name, replicas }) =>
        replicas === undefined ? name : `${name}:${replicas}`,
      );
      assert.deepEqual(shares, expected);
    });
  }

  it('has the placement noted by which it was refused, and nothing else', () => {
    const spec = { replicas: 2, clusters: on('m1:2'), placement: divided };
    const annotations = { 'policy.karmada.io/applied-placement': JSON.stringify(divided) };
    const patch = bindingPatch(bindingOf(spec), made(nowhere));
    assert.deepEqual(patch, { metadata: { resourceVersion: '7', annotations } });
    assert.equal(bindingPatch(bindingOf(spec, {}, annotations), made(nowhere)), undefined);
  });

  it('has no clusters rather than an empty list of them, which would mean all', () => {
    const patch = bindingPatch(bindingOf({ clusters: on('gone') }), made(nowhere));
    assert.deepEqual((patch as { spec: unknown }).spec, { clusters: null });
  });

  it('says so, and waits', () => {
    const before = { ...scheduled('True'), schedulerObservedGeneration: 1 };
    const moment = { isConfirmed: false, scheduledAt: '2026-01-01T00:00:09Z', nowMs: 0 };
    const { conditions, ...rest } = statusAfter(before, 2, nowhere, moment);
    const { status, reason, message } = conditions?.[0] ?? {};
    assert.deepEqual(
      { status, reason, message },
      { status: 'False', reason: 'NoClusterFit', message: 'no' },
    );
    assert.deepEqual(rest, { schedulerObservedGeneration: 1 });
  });
});

describe('a decision about work that runs', () => {
  const spec = bindingOf({ clusters: on('m2', 'm1') });

  it('moves it where it found a place', () => {
    assert.deepEqual(clustersAfter(placed('m3'), spec.spec, clusterOf), on('m3'));
    const patch = bindingPatch(spec, made(placed('m3'))) as { spec: unknown };
    assert.deepEqual(patch.spec, { clusters: on('m3') });
  });

  describe('that was asked to be scheduled afresh', () => {
    const before = { replicas: 6, clusters: on('m1:2', 'm2:4'), placement: divided };
    const afresh = (shares: readonly string[], present: Partial<BindingSpec> = {}) => {
      const decision = decisionOf({ kind: 'placed', clusters: on(...shares), reasoning });
      const binding = bindingOf({ ...before, ...present });
      const patch = bindingPatch(binding, made(decision, 'RescheduleTriggered'));
      const { clusters = [], gracefulEvictionTasks = [] } = (patch as { spec: BindingSpec }).spec;
      const tasks = (gracefulEvictionTasks ?? []).map(
        ({ fromCluster, replicas, purgeMode }) => `${fromCluster}:${replicas} ${purgeMode}`,
      );
      return { clusters, tasks };
    };

    it('leaves old replicas behind until the new ones are healthy, all of them or some', () => {
      const { clusters, tasks } = afresh(['m1:5', 'm2:1']);
      assert.deepEqual(clusters, on('m1:5', 'm2:1'));
      assert.deepEqual(tasks, ['m2:3 Gracefully']);
      assert.deepEqual(afresh(['m1:6']).tasks, ['m2:4 Gracefully']);
    });

    it('counts replicas that wait from before', () => {
      const task = { fromCluster: 'm2', replicas: 3, reason: 'Rescheduled', producer: 'Scheduler' };
      const present = { clusters: on('m1:5', 'm2:1'), gracefulEvictionTasks: [task] } as never;
      assert.deepEqual(afresh(['m1:4', 'm2:2'], present).tasks, [
        'm1:1 Gracefully',
        'm2:2 Gracefully',
      ]);
      assert.deepEqual(afresh(['m1:2', 'm2:4'], present).tasks, ['m1:3 Gracefully']);
    });

    it('stops work that runs to completion before it begins elsewhere', () => {
      const resource = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'default', name: 'train' };
      assert.deepEqual(afresh(['m1:6'], { resource }).tasks, ['m2:4 Directly']);
      assert.deepEqual(afresh(['m1:4', 'm2:2'], { resource }).tasks, []);
    });

    it('leaves nothing behind when the policy wants it gone at once, or nothing has replicas', () => {
      const failover = { cluster: { purgeMode: 'Directly' } } as const;
      assert.deepEqual(afresh(['m1:6'], { failover }).tasks, []);
      assert.deepEqual(afresh(['m1'], { replicas: 0, clusters: on('m2') }).tasks, []);
    });
  });

  it('changes nothing when there is too little room', () => {
    assert.equal(bindingPatch(spec, made(refused('Unschedulable'))), undefined);
    assert.deepEqual(clustersAfter(refused('Unschedulable'), spec.spec, clusterOf), on('m1', 'm2'));
  });
});
