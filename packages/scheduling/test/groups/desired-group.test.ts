import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject, OwnerReference } from '@perigee/api/meta/object-meta';
import { desiredGroup, type GroupPod } from '@perigee/scheduling/groups/desired-group';
import { APPLIED } from '@perigee/scheduling/groups/group-names';
import { appliedMark, groupChange } from '@perigee/scheduling/groups/merge-group';
import {
  createInterpreter,
  frameworkKinds,
  nativeKinds,
} from '@perigee/scheduling/interpreter/known-kinds';
import type { JsonObject } from '@perigee/schema/json';

const interpreter = createInterpreter([...nativeKinds, ...frameworkKinds]);

type Text = { readonly [key: string]: string };

const meta = (name: string, annotations: Text = {}, labels: Text = {}): KubeObject['metadata'] => ({
  name,
  uid: `uid-of-${name}`,
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
  annotations,
  labels,
});

const container = (requests: Text) => ({ name: 'c', image: 'i', resources: { requests } });

const podOf = (
  annotations: Text = {},
  requests: Text = { cpu: '1' },
  labels: Text = {},
): GroupPod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: meta('pod', annotations, labels),
    spec: { containers: [container(requests)] },
  }) as GroupPod;

interface Given {
  readonly apiVersion: string;
  readonly kind: string;
  readonly workload?: JsonObject;
  readonly pods?: readonly [GroupPod, ...GroupPod[]];
  readonly onOwner?: Text;
  readonly onNamespace?: Text;
}

const groupOf = ({
  apiVersion,
  kind,
  workload,
  pods = [podOf()],
  onOwner = {},
  onNamespace = {},
}: Given) => {
  const owner: OwnerReference = { apiVersion, kind, name: 'w', uid: 'uid-of-w' };
  return desiredGroup({
    owner,
    ...(workload === undefined ? {} : { workload }),
    pods,
    owners: [{ reference: owner, owner: { metadata: meta('w', onOwner) } }],
    namespace: onNamespace,
    interpreter,
  });
};

const template = (requests: Text) => ({ spec: { containers: [container(requests)] } });
const MIN = 'scheduling.volcano.sh/group-min-member';
const APPS = { apiVersion: 'apps/v1' };

describe('what a group is made of', () => {
  it('is one pod of the workload unless somebody says more', () => {
    const workload = { spec: { replicas: 3, template: template({ cpu: '2' }) } };
    assert.deepEqual(groupOf({ ...APPS, kind: 'Deployment', workload }).spec, {
      minMember: 1,
      queue: 'default',
      minResources: { cpu: '2' },
    });
  });

  it('is what the whole workload needs, not its first pod', () => {
    const spark = {
      spec: {
        type: 'Scala',
        driver: { cores: 1, memory: '1g' },
        executor: { cores: 4, memory: '4g', instances: 3 },
      },
    };
    const kind = { apiVersion: 'sparkoperator.k8s.io/v1beta2', kind: 'SparkApplication' };
    const all = groupOf({ ...kind, workload: spark, onOwner: { [MIN]: '4' } }).spec;
    assert.deepEqual([all.minMember, all.minResources?.cpu], [4, '13']);
    const two = groupOf({ ...kind, workload: spark, onOwner: { [MIN]: '2' } }).spec;
    assert.equal(two.minResources?.cpu, '5', 'the driver, and one executor');
  });

  const workloads: readonly (readonly [string, Given, string | undefined])[] = [
    [
      'Deployment',
      {
        ...APPS,
        kind: 'Deployment',
        workload: { spec: { replicas: 9, template: template({ cpu: '2' }) } },
      },
      '6',
    ],
    [
      'ReplicaSet',
      {
        ...APPS,
        kind: 'ReplicaSet',
        workload: { spec: { replicas: 3, template: template({ cpu: '2' }) } },
      },
      '6',
    ],
    [
      'StatefulSet',
      {
        ...APPS,
        kind: 'StatefulSet',
        workload: { spec: { replicas: 3, template: template({ cpu: '2' }) } },
      },
      '6',
    ],
    [
      'DaemonSet',
      {
        ...APPS,
        kind: 'DaemonSet',
        workload: { spec: { template: template({ cpu: '2' }) } },
        pods: [podOf({}, { cpu: '2' })],
      },
      '6',
    ],
    [
      'Job',
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        workload: { spec: { parallelism: 3, template: template({ cpu: '2' }) } },
      },
      '6',
    ],
    ['CronJob', { apiVersion: 'batch/v1', kind: 'CronJob', workload: { spec: {} } }, '3'],
    [
      'Argo Workflow',
      {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Workflow',
        workload: { spec: {} },
        pods: [podOf(), podOf({}, { cpu: '5' })],
      },
      '11',
    ],
    [
      'MPIJob',
      {
        apiVersion: 'kubeflow.org/v2beta1',
        kind: 'MPIJob',
        workload: {
          spec: {
            mpiReplicaSpecs: {
              Launcher: { replicas: 1, template: template({ cpu: '1' }) },
              Worker: { replicas: 2, template: template({ cpu: '8' }) },
            },
          },
        },
      },
      '17',
    ],
    [
      'RayCluster',
      {
        apiVersion: 'ray.io/v1',
        kind: 'RayCluster',
        workload: {
          spec: {
            headGroupSpec: { template: template({ cpu: '1' }) },
            workerGroupSpecs: [{ groupName: 'w', replicas: 2, template: template({ cpu: '8' }) }],
          },
        },
      },
      '17',
    ],
    [
      'kind that nobody knows',
      {
        apiVersion: 'x.io/v1',
        kind: 'Thing',
        pods: [podOf(), podOf({}, { cpu: '2' }), podOf({}, { cpu: '4' })],
      },
      '7',
    ],
    [
      'workload whose quantities are none',
      {
        apiVersion: 'sparkoperator.k8s.io/v1beta2',
        kind: 'SparkApplication',
        workload: {
          spec: { driver: { gpu: { name: 'x', quantity: 'NaN' } }, executor: { cores: '1e999' } },
        },
        pods: [podOf()],
      },
      undefined,
    ],
  ];
  for (const [what, given, cpu] of workloads) {
    it(`counts three pods of a ${what}`, () => {
      const { spec } = groupOf({ ...given, onOwner: { [MIN]: '3' } });
      assert.equal(spec.minMember, 3);
      if (cpu !== undefined) assert.equal(spec.minResources?.cpu, cpu);
    });
  }

  const wishes: readonly (readonly [string, Partial<Given>, string, unknown])[] = [
    [
      'the pod before its owner',
      { pods: [podOf({ [MIN]: '2' })], onOwner: { [MIN]: '4' } },
      'minMember',
      2,
    ],
    ['no number', { onOwner: { [MIN]: 'three' } }, 'minMember', 1],
    ['less than nothing', { onOwner: { [MIN]: '-1' } }, 'minMember', 1],
    ['none', { onOwner: { [MIN]: '0' } }, 'minMember', 0],
    [
      'tasks',
      { onOwner: { 'groups.perigee.io/min-task-member': 'driver=1, executor=4' } },
      'minTaskMember',
      { driver: 1, executor: 4 },
    ],
    [
      'so many as its tasks',
      { onOwner: { 'groups.perigee.io/min-task-member': 'driver=1,executor=4' } },
      'minMember',
      5,
    ],
    [
      'tasks that are none',
      { onOwner: { 'groups.perigee.io/min-task-member': 'driver' } },
      'minTaskMember',
      undefined,
    ],
    [
      'more tasks than a group can count',
      { onOwner: { 'groups.perigee.io/min-task-member': 'a=2147483647,b=1' } },
      'minMember',
      1,
    ],
    [
      'the queue of the pod',
      {
        pods: [podOf({ 'scheduling.volcano.sh/queue-name': 'a' })],
        onNamespace: { 'scheduling.volcano.sh/queue-name': 'b' },
      },
      'queue',
      'a',
    ],
    [
      'the queue of the namespace',
      { onNamespace: { 'scheduling.volcano.sh/queue-name': 'b' } },
      'queue',
      'b',
    ],
    [
      'a queue that cannot be',
      { onNamespace: { 'scheduling.volcano.sh/queue-name': 'B b' } },
      'queue',
      'default',
    ],
    [
      'hard and two tiers',
      {
        onOwner: {
          'volcano.sh/network-topology-mode': 'Hard',
          'volcano.sh/network-topology-highest-tier': '2',
        },
      },
      'networkTopology',
      { mode: 'hard', highestTierAllowed: 2 },
    ],
    [
      'soft alone',
      { onOwner: { 'volcano.sh/network-topology-mode': 'soft' } },
      'networkTopology',
      { mode: 'soft' },
    ],
    [
      'a tier alone',
      { onOwner: { 'volcano.sh/network-topology-highest-tier': '1' } },
      'networkTopology',
      { mode: 'hard', highestTierAllowed: 1 },
    ],
    [
      'a mode that is none',
      { onOwner: { 'volcano.sh/network-topology-mode': 'loose' } },
      'networkTopology',
      { mode: 'hard' },
    ],
    ['no topology', {}, 'networkTopology', undefined],
  ];
  for (const [what, given, field, expected] of wishes) {
    it(`is asked for ${what}`, () => {
      const { spec } = groupOf({ ...APPS, kind: 'StatefulSet', ...given });
      assert.deepEqual((spec as unknown as JsonObject)[field], expected);
    });
  }

  it('inherits no more than a server would take', () => {
    const onOwner = { 'volcano.sh/book': 'x'.repeat(200_000), 'volcano.sh/preemptable': 'true' };
    assert.deepEqual(groupOf({ ...APPS, kind: 'StatefulSet', onOwner }).annotations, {
      'volcano.sh/preemptable': 'true',
    });
  });

  it('has what pods and owners say to schedulers, the pod before its owners', () => {
    const pod = podOf(
      { 'volcano.sh/jdb-min-available': '1', 'volcano.sh/task-spec': 'w', 'other.io/x': 'y' },
      {},
      { 'volcano.sh/preemptable': 'true' },
    );
    const onOwner = {
      'volcano.sh/jdb-max-unavailable': '20%',
      'volcano.sh/jdb-min-available': '2',
      'volcano.sh/custom-key': 'c',
    };
    assert.deepEqual(groupOf({ ...APPS, kind: 'StatefulSet', pods: [pod], onOwner }).annotations, {
      'volcano.sh/jdb-min-available': '1',
      'volcano.sh/preemptable': 'true',
      'volcano.sh/custom-key': 'c',
    });
  });
});

describe('a group that is there', () => {
  const wish = (minMember: number, queue = 'default') => ({
    spec: { minMember, queue },
    annotations: {},
  });
  const present = (spec: object, applied?: string) => ({
    metadata: { annotations: (applied === undefined ? {} : { [APPLIED]: applied }) as Text },
    spec,
  });

  it('follows what its workload says', () => {
    const group = present({ minMember: 1, queue: 'default' }, appliedMark(wish(1)));
    assert.deepEqual(groupChange(group, wish(2))?.spec, { minMember: 2 });
  });
  it('is not written when nothing changes', () => {
    assert.equal(groupChange(present(wish(1).spec, appliedMark(wish(1))), wish(1)), undefined);
  });
  it('keeps what a user changed in it, and follows in the rest', () => {
    const group = present({ minMember: 7, queue: 'default' }, appliedMark(wish(1)));
    assert.deepEqual(groupChange(group, wish(2, 'big'))?.spec, { queue: 'big' });
  });
  it('is taken over as it is from whoever made it before', () => {
    const { spec, annotations } = groupChange(present({ minMember: 3 }), wish(1)) ?? {};
    assert.deepEqual([spec, Object.keys(annotations ?? {})], [{ queue: 'default' }, [APPLIED]]);
  });
  it('is not lost to a mark that somebody broke', () => {
    assert.deepEqual(groupChange(present({ minMember: 3 }, '{'), wish(1, 'a'))?.spec, {
      queue: 'a',
    });
  });
});
