import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterPropagationPolicy } from '../../../src/kinds/placement/cluster-propagation-policy.ts';
import { PropagationPolicy } from '../../../src/kinds/placement/propagation-policy.ts';
import { assertRefused, store, storedSpec, withSpec } from './admission.ts';

const HEAD = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: shop
  namespace: default
`;

const CLUSTER_HEAD = `
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata:
  name: shop
`;

const SELECTORS = 'resourceSelectors: [{ apiVersion: apps/v1, kind: Deployment, name: shop }]\n';

test('a policy as users write it is stored with everything that it means', () => {
  const written = `
resourceSelectors:
  - apiVersion: apps/v1
    kind: Deployment
    name: shop
  - apiVersion: v1
    kind: ConfigMap
    labelSelector:
      matchLabels: { app: shop }
placement:
  clusterAffinity:
    clusterNames: [member1, member2]
  replicaScheduling:
    replicaSchedulingType: Divided
    replicaDivisionPreference: Weighted
    weightPreference:
      staticWeightList:
        - targetCluster: { clusterNames: [member1] }
          weight: 1
        - targetCluster: { clusterNames: [member2] }
          weight: 2
`;
  assert.deepEqual(storedSpec(PropagationPolicy, withSpec(HEAD, written)), {
    resourceSelectors: [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop', namespace: 'default' },
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        labelSelector: { matchLabels: { app: 'shop' } },
        namespace: 'default',
      },
    ],
    placement: {
      clusterAffinity: { clusterNames: ['member1', 'member2'] },
      replicaScheduling: {
        replicaSchedulingType: 'Divided',
        replicaDivisionPreference: 'Weighted',
        weightPreference: {
          staticWeightList: [
            { targetCluster: { clusterNames: ['member1'] }, weight: 1 },
            { targetCluster: { clusterNames: ['member2'] }, weight: 2 },
          ],
        },
      },
    },
    priority: 0,
    preemption: 'Never',
    schedulerName: 'default-scheduler',
    conflictResolution: 'Abort',
  });
});

test('every other field of a policy is kept', () => {
  const spec = {
    resourceSelectors: [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop', namespace: 'default' },
    ],
    association: false,
    propagateDeps: true,
    priority: 7,
    preemption: 'Always',
    dependentOverrides: ['shop'],
    schedulerName: 'own-scheduler',
    failover: {
      application: {
        decisionConditions: { tolerationSeconds: 0 },
        purgeMode: 'Never',
        statePreservation: {
          rules: [{ aliasLabelName: 'example.com/job', jsonPath: '{.jobStatus.jobID}' }],
        },
      },
      cluster: { purgeMode: 'Directly' },
    },
    conflictResolution: 'Overwrite',
    activationPreference: 'Lazy',
    suspension: { dispatchingOnClusters: { clusterNames: ['member1'] } },
    preserveResourcesOnDeletion: true,
    schedulePriority: { priorityClassSource: 'KubePriorityClass', priorityClassName: 'high' },
  };
  assert.deepEqual(storedSpec(PropagationPolicy, withSpec(HEAD, JSON.stringify(spec))), spec);
});

test('an application moves gracefully after five minutes, and has ten to come back', () => {
  const { failover } = storedSpec(
    PropagationPolicy,
    withSpec(
      HEAD,
      `${SELECTORS}propagateDeps: true\nfailover: { application: { decisionConditions: {} }, cluster: {} }`,
    ),
  );
  assert.deepEqual(failover, {
    application: {
      decisionConditions: { tolerationSeconds: 300 },
      purgeMode: 'Gracefully',
      gracePeriodSeconds: 600,
    },
    cluster: { purgeMode: 'Gracefully' },
  });
});

test('a grace period that was filled in goes with the purge mode that it was filled in for', () => {
  const policy = (application: string): string =>
    withSpec(
      HEAD,
      `${SELECTORS}propagateDeps: true\nfailover: { application: { decisionConditions: {}, ${application} } }`,
    );
  const old = store(PropagationPolicy, policy('purgeMode: Gracefully'));
  const changed = policy('purgeMode: Directly, gracePeriodSeconds: 600');
  assert.deepEqual(storedSpec(PropagationPolicy, changed, old).failover, {
    application: { decisionConditions: { tolerationSeconds: 300 }, purgeMode: 'Directly' },
  });
  assertRefused(
    PropagationPolicy,
    changed,
    { field: 'spec.failover.application.gracePeriodSeconds', message: /Gracefully only/ },
    store(PropagationPolicy, policy('gracePeriodSeconds: 5')),
  );
});

test('purge modes may be said in the words that Karmada had before', () => {
  const { failover } = storedSpec(
    PropagationPolicy,
    withSpec(
      HEAD,
      `${SELECTORS}propagateDeps: true\nfailover: { application: { decisionConditions: {}, purgeMode: Graciously }, cluster: { purgeMode: Immediately } }`,
    ),
  );
  assert.deepEqual(failover, {
    application: {
      decisionConditions: { tolerationSeconds: 300 },
      purgeMode: 'Gracefully',
      gracePeriodSeconds: 600,
    },
    cluster: { purgeMode: 'Directly' },
  });
});

test('imported services take along what is derived from them', () => {
  const { propagateDeps } = storedSpec(
    PropagationPolicy,
    withSpec(
      HEAD,
      'resourceSelectors: [{ apiVersion: multicluster.x-k8s.io/v1alpha1, kind: ServiceImport }]\npropagateDeps: false',
    ),
  );
  assert.equal(propagateDeps, true);
});

test('a cluster-wide policy reaches any namespace', () => {
  const spec = storedSpec(
    ClusterPropagationPolicy,
    withSpec(
      CLUSTER_HEAD,
      'resourceSelectors: [{ apiVersion: v1, kind: Secret, namespace: a }, { apiVersion: v1, kind: Namespace }]',
    ),
  );
  assert.deepEqual(spec.resourceSelectors, [
    { apiVersion: 'v1', kind: 'Secret', namespace: 'a' },
    { apiVersion: 'v1', kind: 'Namespace' },
  ]);
});

test('the scheduler of a policy stays', () => {
  const old = store(PropagationPolicy, withSpec(HEAD, SELECTORS));
  assertRefused(
    PropagationPolicy,
    withSpec(HEAD, `${SELECTORS}schedulerName: other`),
    { field: 'spec.schedulerName', message: /cannot be changed/ },
    old,
  );
});

test('a selector outside the namespace of the policy is refused', () => {
  assertRefused(
    PropagationPolicy,
    withSpec(
      HEAD,
      'resourceSelectors: [{ apiVersion: v1, kind: Secret }, { apiVersion: v1, kind: Secret, namespace: kube-system }]',
    ),
    { field: 'spec.resourceSelectors[1].namespace', message: /must be default/ },
  );
});

const APPLICATION = 'spec.failover.application';

for (const [title, spec, field, message] of [
  ['a policy for nothing', 'resourceSelectors: []', 'spec.resourceSelectors', /at least 1 items/],
  [
    'a selector without a kind',
    'resourceSelectors: [{ apiVersion: v1 }]',
    'spec.resourceSelectors[0].kind',
    /Required value/,
  ],
  [
    'failover of an application without its dependencies',
    `${SELECTORS}failover: { application: { decisionConditions: {} } }`,
    'spec.propagateDeps',
    /needs propagateDeps: true/,
  ],
  [
    'failover of an application without conditions',
    `${SELECTORS}propagateDeps: true\nfailover: { application: {} }`,
    `${APPLICATION}.decisionConditions`,
    /Required value/,
  ],
  [
    'a grace period for what goes at once',
    `${SELECTORS}propagateDeps: true\nfailover: { application: { decisionConditions: {}, purgeMode: Directly, gracePeriodSeconds: 5 } }`,
    `${APPLICATION}.gracePeriodSeconds`,
    /Gracefully only/,
  ],
  [
    'no grace period at all',
    `${SELECTORS}propagateDeps: true\nfailover: { application: { decisionConditions: {}, gracePeriodSeconds: 0 } }`,
    `${APPLICATION}.gracePeriodSeconds`,
    /greater than or equal to 1/,
  ],
  [
    'a negative toleration',
    `${SELECTORS}propagateDeps: true\nfailover: { application: { decisionConditions: { tolerationSeconds: -1 } } }`,
    `${APPLICATION}.decisionConditions.tolerationSeconds`,
    /greater than or equal to 0/,
  ],
  [
    'a purge mode that clusters do not have',
    `${SELECTORS}failover: { cluster: { purgeMode: Never } }`,
    'spec.failover.cluster.purgeMode',
    /Directly.*Gracefully/,
  ],
  [
    'preserved state under what is no label',
    `${SELECTORS}failover: { cluster: { statePreservation: { rules: [{ aliasLabelName: "a b", jsonPath: "{.a}" }] } } }`,
    'spec.failover.cluster.statePreservation.rules[0].aliasLabelName',
    /should match/,
  ],
  [
    'preemption without names',
    'resourceSelectors: [{ apiVersion: v1, kind: Secret, name: a }, { apiVersion: v1, kind: Secret }]\npreemption: Always',
    'spec.resourceSelectors',
    /needs a name in every selector/,
  ],
  [
    'suspension of all clusters and of some',
    `${SELECTORS}suspension: { dispatching: true, dispatchingOnClusters: { clusterNames: [a] } }`,
    'spec.suspension.dispatchingOnClusters',
    /stops every cluster/,
  ],
  [
    'a priority class of an unknown kind',
    `${SELECTORS}schedulePriority: { priorityClassSource: PodPriorityClass, priorityClassName: a }`,
    'spec.schedulePriority.priorityClassSource',
    /KubePriorityClass/,
  ],
] as const) {
  test(`${title} is refused, by both kinds of policy`, () => {
    assertRefused(PropagationPolicy, withSpec(HEAD, spec), { field, message });
    assertRefused(ClusterPropagationPolicy, withSpec(CLUSTER_HEAD, spec), { field, message });
  });
}

test('suspension of some clusters beside a switch that is off is accepted', () => {
  const { suspension } = storedSpec(
    PropagationPolicy,
    withSpec(
      HEAD,
      `${SELECTORS}suspension: { dispatching: false, dispatchingOnClusters: { clusterNames: [a] } }`,
    ),
  );
  assert.deepEqual(suspension, {
    dispatching: false,
    dispatchingOnClusters: { clusterNames: ['a'] },
  });
});
