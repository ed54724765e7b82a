import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { ClusterPropagationPolicy } from '../../../src/kinds/placement/cluster-propagation-policy.ts';
import { assertRefused, storedSpec, withSpec } from './admission.ts';

const HEAD = `
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata:
  name: everywhere
`;

const SELECTORS = 'resourceSelectors: [{ apiVersion: apps/v1, kind: Deployment }]';

const policyWith = (placement: string): string =>
  withSpec(HEAD, `${SELECTORS}\nplacement:\n${placement.trim().replaceAll(/^/gm, '  ')}`);

const storedPlacement = (placement: string): JsonObject =>
  storedSpec(ClusterPropagationPolicy, policyWith(placement)).placement as JsonObject;

test('an empty operator or effect of a toleration is none, as in Kubernetes', () => {
  const { clusterTolerations } = storedPlacement(
    'clusterTolerations: [{ key: a, operator: "", value: "", effect: "" }]',
  );
  assert.deepEqual(clusterTolerations, [{ key: 'a', value: '' }]);
});

test('groups of clusters, tolerations and affinity between workloads are stored as written', () => {
  const placement = {
    clusterAffinities: [
      {
        affinityName: 'own',
        labelSelector: { matchLabels: { site: 'own' } },
        overflowAffinities: [{ affinityName: 'cloud', clusterNames: ['c1', 'c2'] }],
      },
      {
        affinityName: 'backup',
        fieldSelector: {
          matchExpressions: [{ key: 'region', operator: 'NotIn', values: ['north', 'south'] }],
        },
        exclude: ['old'],
      },
    ],
    clusterTolerations: [
      { key: 'maintenance', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
    ],
    spreadConstraints: [
      { spreadByField: 'region', minGroups: 2, maxGroups: 3 },
      { spreadByField: 'cluster', minGroups: 2, maxGroups: 4 },
    ],
    replicaScheduling: {
      replicaSchedulingType: 'Divided',
      replicaDivisionPreference: 'Weighted',
      weightPreference: { dynamicWeight: 'AvailableReplicas' },
    },
    workloadAffinity: {
      affinity: { groupByLabelKey: 'example.com/group' },
      antiAffinity: { groupByLabelKey: 'tier' },
    },
  };
  assert.deepEqual(storedPlacement(JSON.stringify(placement)), placement);
});

for (const [title, written, stored] of [
  [
    'a constraint that says nothing spreads over one cluster or more',
    'spreadConstraints: [{}]',
    { spreadConstraints: [{ spreadByField: 'cluster', minGroups: 1 }] },
  ],
  [
    'a constraint by label stays one by label, and no group at least becomes one',
    'spreadConstraints: [{ spreadByLabel: rack, minGroups: 0, maxGroups: 2 }]',
    { spreadConstraints: [{ spreadByLabel: 'rack', minGroups: 1, maxGroups: 2 }] },
  ],
  [
    'replicas are divided by equal weights when nothing else is said',
    'replicaScheduling: {}',
    {
      replicaScheduling: {
        replicaSchedulingType: 'Divided',
        replicaDivisionPreference: 'Weighted',
      },
    },
  ],
  [
    'duplicated replicas need no preference',
    'replicaScheduling: { replicaSchedulingType: Duplicated }',
    { replicaScheduling: { replicaSchedulingType: 'Duplicated' } },
  ],
  [
    'a preference that is given stays',
    'replicaScheduling: { replicaDivisionPreference: Aggregated }',
    {
      replicaScheduling: {
        replicaSchedulingType: 'Divided',
        replicaDivisionPreference: 'Aggregated',
      },
    },
  ],
] as const) {
  test(title, () => {
    assert.deepEqual(storedPlacement(written), stored);
  });
}

const AT = 'spec.placement';

for (const [title, placement, field, message] of [
  [
    'one affinity beside several',
    'clusterAffinity: { clusterNames: [a] }\nclusterAffinities: [{ affinityName: a }]',
    `${AT}.clusterAffinities`,
    /exclude each other/,
  ],
  [
    'an affinity name that is there twice',
    'clusterAffinities: [{ affinityName: a }, { affinityName: b }, { affinityName: a }]',
    `${AT}.clusterAffinities`,
    /unique within clusterAffinities/,
  ],
  [
    'an affinity name that could not be a label',
    'clusterAffinities: [{ affinityName: "a b" }]',
    `${AT}.clusterAffinities[0].affinityName`,
    /should match/,
  ],
  [
    'an affinity name that is too long',
    `clusterAffinities: [{ affinityName: ${'a'.repeat(33)} }]`,
    `${AT}.clusterAffinities[0].affinityName`,
    /32/,
  ],
  [
    'overflow with static weights',
    `
clusterAffinities:
  - affinityName: own
    clusterNames: [a]
    overflowAffinities: [{ affinityName: cloud }]
replicaScheduling:
  replicaDivisionPreference: Weighted`,
    `${AT}.clusterAffinities`,
    /Aggregated, or with Weighted and a dynamicWeight/,
  ],
  [
    'overflow with duplicated replicas',
    `
clusterAffinities:
  - affinityName: own
    clusterNames: [a]
    overflowAffinities: [{ affinityName: cloud }]
replicaScheduling:
  replicaSchedulingType: Duplicated
  replicaDivisionPreference: Aggregated`,
    `${AT}.clusterAffinities`,
    /Aggregated, or with Weighted and a dynamicWeight/,
  ],
  [
    'overflow without a primary group',
    `
clusterAffinities:
  - affinityName: own
    overflowAffinities: [{ affinityName: cloud }]
replicaScheduling:
  replicaDivisionPreference: Aggregated`,
    `${AT}.clusterAffinities[0].overflowAffinities`,
    /need a primary group/,
  ],
  [
    'an overflow with the name of its term',
    `
clusterAffinities:
  - affinityName: own
    clusterNames: [a]
    overflowAffinities: [{ affinityName: own }]
replicaScheduling:
  replicaDivisionPreference: Aggregated`,
    `${AT}.clusterAffinities[0].overflowAffinities`,
    /differ from the name of the term/,
  ],
  [
    'two overflows with one name',
    `
clusterAffinities:
  - affinityName: own
    clusterNames: [a]
    overflowAffinities: [{ affinityName: b }, { affinityName: b }]
replicaScheduling:
  replicaDivisionPreference: Aggregated`,
    `${AT}.clusterAffinities[0].overflowAffinities`,
    /unique within overflowAffinities/,
  ],
  [
    'a field that clusters do not have',
    'clusterAffinity: { fieldSelector: { matchExpressions: [{ key: name, operator: In }] } }',
    `${AT}.clusterAffinity.fieldSelector.matchExpressions[0].key`,
    /provider.*region.*zone/,
  ],
  [
    'an operator that fields do not have',
    'clusterAffinity: { fieldSelector: { matchExpressions: [{ key: zone, operator: Exists }] } }',
    `${AT}.clusterAffinity.fieldSelector.matchExpressions[0].operator`,
    /In.*NotIn/,
  ],
  [
    'a toleration that compares numbers',
    'clusterTolerations: [{ key: load, operator: Lt, value: "5" }]',
    `${AT}.clusterTolerations[0].operator`,
    /Exists.*Equal/,
  ],
  [
    'a constraint by field and label at once',
    'spreadConstraints: [{ spreadByField: cluster, spreadByLabel: rack }]',
    `${AT}.spreadConstraints[0].spreadByLabel`,
    /exclude each other/,
  ],
  [
    'more groups at least than at most',
    'spreadConstraints: [{ minGroups: 3, maxGroups: 2 }]',
    `${AT}.spreadConstraints[0].maxGroups`,
    /not be less than minGroups/,
  ],
  [
    'a negative number of groups',
    'spreadConstraints: [{ minGroups: -1 }]',
    `${AT}.spreadConstraints[0].minGroups`,
    /greater than or equal to 0/,
  ],
  [
    'a constraint by region without one by cluster',
    'spreadConstraints: [{ spreadByField: region }]',
    `${AT}.spreadConstraints`,
    /needs one by cluster/,
  ],
  [
    'two constraints by cluster',
    'spreadConstraints: [{ spreadByField: cluster }, {}]',
    `${AT}.spreadConstraints`,
    /constrained once/,
  ],
  [
    'a weight of nothing',
    `
replicaScheduling:
  weightPreference:
    staticWeightList: [{ targetCluster: { clusterNames: [a] }, weight: 0 }]`,
    `${AT}.replicaScheduling.weightPreference.staticWeightList[0].weight`,
    /greater than or equal to 1/,
  ],
  [
    'affinity and anti-affinity by one label',
    'workloadAffinity: { affinity: { groupByLabelKey: a }, antiAffinity: { groupByLabelKey: a } }',
    `${AT}.workloadAffinity`,
    /different labels/,
  ],
  [
    'grouping by what is no label',
    'workloadAffinity: { affinity: { groupByLabelKey: "-a" } }',
    `${AT}.workloadAffinity.affinity.groupByLabelKey`,
    /should match/,
  ],
] as const) {
  test(`${title} is refused`, () => {
    assertRefused(ClusterPropagationPolicy, policyWith(placement), { field, message });
  });
}
