import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterResourceBinding } from '../../../src/kinds/placement/cluster-resource-binding.ts';
import { ResourceBinding } from '../../../src/kinds/placement/resource-binding.ts';
import { assertRefused, store, storedSpec, withSpec } from './admission.ts';

const HEAD = `
apiVersion: work.karmada.io/v1alpha2
kind: ResourceBinding
metadata:
  name: shop-deployment
  namespace: default
`;

const CLUSTER_HEAD = `
apiVersion: work.karmada.io/v1alpha2
kind: ClusterResourceBinding
metadata:
  name: reader-clusterrole
`;

const RESOURCE =
  'resource: { apiVersion: apps/v1, kind: Deployment, namespace: default, name: shop, uid: "1", resourceVersion: "5" }\n';

const SPEC = {
  resource: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    namespace: 'default',
    name: 'shop',
    uid: '3ba0f1a2',
    resourceVersion: '17',
  },
  propagateDeps: true,
  replicaRequirements: {
    nodeClaim: {
      hardNodeAffinity: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] },
        ],
      },
      nodeSelector: { arch: 'arm64' },
      tolerations: [{ key: 'gpu', operator: 'Exists' }],
    },
    resourceRequest: { cpu: '500m', memory: '1Gi' },
    namespace: 'default',
    priorityClassName: 'high',
  },
  replicas: 3,
  components: [
    { name: 'master', replicas: 1, replicaRequirements: { resourceRequest: { cpu: 1 } } },
    { name: 'worker', replicas: 4 },
  ],
  clusters: [
    { name: 'member1', replicas: 2, components: [{ name: 'master', replicas: 1 }] },
    { name: 'member2', replicas: 1 },
  ],
  placement: { clusterAffinity: { clusterNames: ['member1', 'member2'] } },
  gracefulEvictionTasks: [
    {
      fromCluster: 'member3',
      purgeMode: 'Gracefully',
      replicas: 1,
      reason: 'TaintUntolerated',
      message: 'cluster is not ready',
      producer: 'TaintManager',
      gracePeriodSeconds: 600,
      suppressDeletion: false,
      preservedLabelState: { 'example.com/job': '7' },
      creationTimestamp: '2024-04-17T15:04:05Z',
      clustersBeforeFailover: ['member3'],
    },
  ],
  requiredBy: [{ namespace: 'default', name: 'front', clusters: [{ name: 'member1' }] }],
  schedulerName: 'default-scheduler',
  failover: { cluster: { purgeMode: 'Directly' } },
  conflictResolution: 'Abort',
  rescheduleTriggeredAt: '2024-04-17T15:04:05Z',
  suspension: { scheduling: true },
  preserveResourcesOnDeletion: false,
  schedulePriority: { priority: 100 },
  workloadAffinityGroups: { affinityGroup: 'app=shop', antiAffinityGroup: 'tier=front' },
};

const STATUS = {
  schedulerObservedGeneration: 4,
  schedulerObservingAffinityName: 'own',
  lastScheduledTime: '2024-04-17T15:04:06Z',
  conditions: [
    {
      type: 'Scheduled',
      status: 'True',
      reason: 'Success',
      message: 'Binding has been scheduled successfully.',
      lastTransitionTime: '2024-03-08T08:53:03Z',
    },
  ],
  aggregatedStatus: [
    {
      clusterName: 'member1',
      applied: true,
      health: 'Healthy',
      status: { readyReplicas: 2, own: { field: [1] } },
    },
    { clusterName: 'member2', applied: false, appliedMessage: 'refused' },
  ],
};

test('every field of a binding is kept', () => {
  const binding = store(
    ResourceBinding,
    `${withSpec(HEAD, JSON.stringify(SPEC))}status: ${JSON.stringify(STATUS)}`,
  );
  assert.deepEqual(binding.spec, SPEC);
  assert.deepEqual(binding.status, STATUS);
});

test('both kinds of binding fill in what is left out', () => {
  const spec = `${RESOURCE}placement: { spreadConstraints: [{}], replicaScheduling: {} }
failover: { application: { decisionConditions: {} } }
schedulePriority: {}`;
  const filled = {
    resource: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'default',
      name: 'shop',
      uid: '1',
      resourceVersion: '5',
    },
    placement: {
      spreadConstraints: [{ spreadByField: 'cluster', minGroups: 1 }],
      replicaScheduling: {
        replicaSchedulingType: 'Divided',
        replicaDivisionPreference: 'Weighted',
      },
    },
    failover: {
      application: {
        decisionConditions: { tolerationSeconds: 300 },
        purgeMode: 'Gracefully',
        gracePeriodSeconds: 600,
      },
    },
    schedulePriority: { priority: 0 },
    conflictResolution: 'Abort',
  };
  assert.deepEqual(storedSpec(ResourceBinding, withSpec(HEAD, spec)), filled);
  assert.deepEqual(storedSpec(ClusterResourceBinding, withSpec(CLUSTER_HEAD, spec)), filled);
});

test('the name of the affinity term may be spelled as in upstream’s documents', () => {
  const { status } = store(
    ResourceBinding,
    `${withSpec(HEAD, RESOURCE)}status: { schedulerObservedAffinityName: backup }`,
  );
  assert.deepEqual(status, { schedulerObservingAffinityName: 'backup' });
});

test('the time of a trigger may stand where the proposal’s text puts it', () => {
  const spec = storedSpec(
    ResourceBinding,
    withSpec(HEAD, `${RESOURCE}placement: { rescheduleTriggeredAt: "2024-04-17T15:04:05Z" }`),
  );
  assert.equal(spec.rescheduleTriggeredAt, '2024-04-17T15:04:05Z');
  assert.deepEqual(spec.placement, {});
});

test('the time of a trigger may not be given twice, unless one is only what is stored', () => {
  const EARLIER = `${RESOURCE}rescheduleTriggeredAt: "2024-04-16T15:04:05Z"\n`;
  const both = withSpec(
    HEAD,
    `${EARLIER}placement: { rescheduleTriggeredAt: "2024-04-17T15:04:05Z" }`,
  );
  assertRefused(ResourceBinding, both, {
    field: 'spec.placement.rescheduleTriggeredAt',
    message: /keep one/,
  });
  const old = store(ResourceBinding, withSpec(HEAD, EARLIER));
  const spec = storedSpec(ResourceBinding, both, old);
  assert.equal(spec.rescheduleTriggeredAt, '2024-04-17T15:04:05Z');
});

const old = store(ResourceBinding, withSpec(HEAD, RESOURCE));

test('a binding may follow its resource to another version', () => {
  const spec = storedSpec(
    ResourceBinding,
    withSpec(HEAD, RESOURCE.replace('apps/v1', 'apps/v2').replace('"5"', '"6"')),
    old,
  );
  assert.partialDeepStrictEqual(spec.resource, { apiVersion: 'apps/v2', resourceVersion: '6' });
});

for (const [field, from, to] of [
  ['apiVersion', 'apps/v1', 'batch/v1'],
  ['apiVersion', 'apps/v1', 'v1'],
  ['kind', 'Deployment', 'StatefulSet'],
  ['namespace', 'namespace: default', 'namespace: other'],
  ['name', 'name: shop', 'name: front'],
] as const) {
  test(`a binding does not change its resource: ${from} to ${to}`, () => {
    assertRefused(
      ResourceBinding,
      withSpec(HEAD, RESOURCE.replace(from, to)),
      { field: `spec.resource.${field}`, message: /stays with its resource/ },
      old,
    );
  });
}

const TASK = { fromCluster: 'a', reason: 'Moved', producer: 'me' };

for (const [title, spec, field, message] of [
  ['a binding of nothing', 'replicas: 1', 'spec.resource', /Required value/],
  [
    'two components of one name',
    `${RESOURCE}components: [{ name: a, replicas: 1 }, { name: a, replicas: 1 }]`,
    'spec.components',
    /a name of its own/,
  ],
  [
    'a component without a name',
    `${RESOURCE}components: [{ name: "", replicas: 1 }]`,
    'spec.components[0].name',
    /at least 1/,
  ],
  ['fewer replicas than none', `${RESOURCE}replicas: -1`, 'spec.replicas', /or equal to 0/],
  [
    'a reason that is a sentence',
    `${RESOURCE}gracefulEvictionTasks: [${JSON.stringify({ ...TASK, reason: 'It moved.' })}]`,
    'spec.gracefulEvictionTasks[0].reason',
    /should match/,
  ],
  [
    'an unknown purge mode',
    `${RESOURCE}gracefulEvictionTasks: [${JSON.stringify({ ...TASK, purgeMode: 'Soon' })}]`,
    'spec.gracefulEvictionTasks[0].purgeMode',
    /Directly.*Gracefully.*Never/,
  ],
  [
    'suspension of all clusters and of some',
    `${RESOURCE}suspension: { dispatching: true, dispatchingOnClusters: { clusterNames: [a] } }`,
    'spec.suspension.dispatchingOnClusters',
    /stops every cluster/,
  ],
  [
    'a placement that contradicts itself',
    `${RESOURCE}placement: { clusterAffinity: {}, clusterAffinities: [] }`,
    'spec.placement.clusterAffinities',
    /exclude each other/,
  ],
] as const) {
  test(`${title} is refused, by both kinds of binding`, () => {
    assertRefused(ResourceBinding, withSpec(HEAD, spec), { field, message });
    assertRefused(ClusterResourceBinding, withSpec(CLUSTER_HEAD, spec), { field, message });
  });
}
