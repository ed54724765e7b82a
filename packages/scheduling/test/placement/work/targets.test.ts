import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import { shareOut } from '@perigee/scheduling/placement/work/shares';
import {
  expectedClusters,
  isHeldBack,
  purgedFirst,
  targetsOf,
} from '@perigee/scheduling/placement/work/targets';
import type { JsonObject } from '@perigee/schema/json';

const spec = (fields: object): BindingSpec =>
  ({ resource: { apiVersion: 'v1', kind: 'K', name: 'x' }, ...fields }) as BindingSpec;

const task = (fromCluster: string, purgeMode?: string, more: object = {}) => ({
  fromCluster,
  ...(purgeMode === undefined ? {} : { purgeMode }),
  reason: 'Test',
  producer: 'test',
  ...more,
});

test('targets are where it was scheduled and where it is needed, the first word on each counts', () => {
  const binding = spec({
    clusters: [{ name: 'm1', replicas: 2 }],
    requiredBy: [
      { name: 'a', clusters: [{ name: 'm2' }, { name: 'm1', replicas: 9 }] },
      { name: 'b', clusters: [{ name: 'm2', replicas: 9 }] },
      { name: 'c' },
    ],
  });
  assert.deepEqual(targetsOf(binding), [{ name: 'm1', replicas: 2 }, { name: 'm2' }]);
});

test('what leaves gracefully, or never, is still expected; what leaves directly is not', () => {
  const binding = spec({
    clusters: [{ name: 'm1' }],
    gracefulEvictionTasks: [
      task('m2', 'Gracefully'),
      task('m3', 'Directly'),
      task('m4', 'Never'),
      task('m5'),
    ],
  });
  assert.deepEqual([...expectedClusters(binding)], ['m1', 'm2', 'm4', 'm5']);
  assert.deepEqual([...purgedFirst(binding)], ['m3']);
});

test('all clusters can be held back, or some', () => {
  assert.equal(isHeldBack(spec({}), 'm1'), false);
  assert.equal(isHeldBack(spec({ suspension: { dispatching: true } }), 'm1'), true);
  const some = spec({ suspension: { dispatchingOnClusters: { clusterNames: ['m1'] } } });
  assert.deepEqual([isHeldBack(some, 'm1'), isHeldBack(some, 'm2')], [true, false]);
});

const job: JsonObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'x', uid: 'u' },
  spec: { completions: 7, parallelism: 4 },
};
const known = { apiVersion: 'batch/v1', kind: 'Job' };
const targets = [
  { name: 'm1', replicas: 1 },
  { name: 'm2', replicas: 3 },
];

const completions = (binding: BindingSpec, template = job) => {
  const share = shareOut(template, binding, targets, known);
  return targets.map((target) => (share(target).spec as JsonObject).completions);
};

test('completions are divided only with replicas that are', () => {
  const divided = { placement: { replicaScheduling: { replicaSchedulingType: 'Divided' } } };
  assert.deepEqual(completions(spec({ replicas: 4, ...divided })), [2, 5]);
  assert.deepEqual(completions(spec({ replicas: 4 })), [7, 7]);
  assert.deepEqual(completions(spec({ replicas: 0, ...divided })), [7, 7]);
  const queue = { ...job, spec: { parallelism: 4 } };
  assert.deepEqual(completions(spec({ replicas: 4, ...divided }), queue), [undefined, undefined]);
});

test('the scheduler’s numbers count for workloads, and for nothing else', () => {
  const revise = (object: JsonObject, replicas: number): JsonObject => ({ ...object, replicas });
  const replicasOf = (binding: BindingSpec) =>
    targets.map((target) => shareOut({}, binding, targets, { ...known, revise })(target).replicas);
  assert.deepEqual(replicasOf(spec({ replicas: 4 })), [1, 3]);
  assert.deepEqual(replicasOf(spec({ replicaRequirements: {} })), [1, 3]);
  assert.deepEqual(replicasOf(spec({})), [undefined, undefined]);
});

test('saved labels go to the one cluster that takes over', () => {
  const saved = { preservedLabelState: { state: 'saved' }, clustersBeforeFailover: ['m1'] };
  const labelsOn = (name: string, purgeMode: string, others: readonly object[] = []) => {
    const binding = spec({ gracefulEvictionTasks: [task('m1', purgeMode, saved)] });
    const all = [{ name }, ...others] as { name: string }[];
    const object = shareOut({ metadata: {} }, binding, all, known)({ name });
    return (object.metadata as JsonObject).labels;
  };
  assert.deepEqual(labelsOn('m2', 'Directly'), { state: 'saved' });
  assert.equal(labelsOn('m1', 'Directly'), undefined);
  assert.equal(labelsOn('m2', 'Gracefully'), undefined);
  assert.equal(labelsOn('m2', 'Directly', [{ name: 'm3' }]), undefined);
});
