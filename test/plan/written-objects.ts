import type { JsonObject } from '@perigee/schema/json';
import type { RandomCluster, RandomPlacement, RandomWork } from './random-fleet.ts';

type Written = JsonObject & { readonly metadata: JsonObject };

export const clusterName = (at: number): string => `m${at + 1}`;

/** Holds a cluster that is deleted, as the controllers of a real one do until its work has left. */
const HOLD = 'example.com/hold';

export const writtenCluster = (at: number, random: RandomCluster): Written => ({
  apiVersion: 'cluster.karmada.io/v1alpha1',
  kind: 'Cluster',
  metadata: { name: clusterName(at), labels: { tier: random.tier }, finalizers: [HOLD] },
  spec: {
    syncMode: 'Push',
    region: random.region,
    taints: random.isTainted ? [{ key: 'example.com/busy', effect: 'NoSchedule' }] : [],
  },
});

export const clusterStatus = ({ cpu }: RandomCluster): JsonObject => ({
  apiEnablements: [
    { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
  ],
  resourceSummary: { allocatable: { cpu: String(cpu), memory: '100Gi', pods: '110' } },
});

const DIVISIONS: { readonly [division in RandomPlacement['division']]: JsonObject } = {
  Duplicated: { replicaSchedulingType: 'Duplicated' },
  Aggregated: {
    replicaSchedulingType: 'Divided',
    replicaDivisionPreference: 'Aggregated',
  },
  Dynamic: {
    replicaSchedulingType: 'Divided',
    replicaDivisionPreference: 'Weighted',
    weightPreference: { dynamicWeight: 'AvailableReplicas' },
  },
  Weighted: {
    replicaSchedulingType: 'Divided',
    replicaDivisionPreference: 'Weighted',
    weightPreference: {
      staticWeightList: [
        { targetCluster: { clusterNames: ['m1'] }, weight: 2 },
        { targetCluster: { clusterNames: ['m2', 'm3', 'm4', 'm5', 'm6'] }, weight: 1 },
      ],
    },
  },
};

const inRegion = (region: string): JsonObject => ({
  clusterAffinity: {
    fieldSelector: { matchExpressions: [{ key: 'region', operator: 'In', values: [region] }] },
  },
});

const AFFINITIES: { readonly [affinity in RandomPlacement['affinity']]: JsonObject } = {
  none: {},
  gold: { clusterAffinity: { labelSelector: { matchLabels: { tier: 'gold' } } } },
  'first-two': { clusterAffinity: { clusterNames: ['m1', 'm2'] } },
  west: inRegion('west'),
  misspelt: inRegion('wset'),
  terms: {
    clusterAffinities: [
      { affinityName: 'first', labelSelector: { matchLabels: { tier: 'gold' } } },
      { affinityName: 'then', labelSelector: { matchLabels: { tier: 'silver' } } },
    ],
  },
};

const SPREADS: { readonly [spread in RandomPlacement['spread']]: JsonObject } = {
  none: {},
  'two-clusters': { spreadConstraints: [{ spreadByField: 'cluster', minGroups: 1, maxGroups: 2 }] },
  'two-regions': {
    spreadConstraints: [
      { spreadByField: 'region', minGroups: 1, maxGroups: 2 },
      { spreadByField: 'cluster', minGroups: 1, maxGroups: 3 },
    ],
  },
};

const TOLERATIONS: { readonly [tolerates in RandomPlacement['tolerates']]: JsonObject } = {
  nothing: {},
  taint: { clusterTolerations: [{ key: 'example.com/busy', operator: 'Exists' }] },
  'lost-for-a-while': {
    clusterTolerations: [
      { key: 'example.com/lost', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 },
    ],
  },
};

export const writtenPolicy = (at: number, random: RandomPlacement): Written => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { namespace: 'default', name: `p${at}` },
  spec: {
    resourceSelectors: [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        labelSelector: { matchLabels: { policy: `p${at}` } },
      },
    ],
    placement: {
      replicaScheduling: DIVISIONS[random.division],
      ...AFFINITIES[random.affinity],
      ...SPREADS[random.spread],
      ...TOLERATIONS[random.tolerates],
    },
  },
});

export const writtenWork = (
  name: string,
  random: RandomWork,
  policies: number,
  replicas = random.replicas,
): Written => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    namespace: 'default',
    name,
    labels: {
      app: name,
      policy: `p${random.policy % policies}`,
      ...(random.queue === 'none' ? {} : { 'volcano.sh/queue-name': random.queue }),
    },
  },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [
          {
            name: 'main',
            image: 'app:1',
            resources: { requests: { cpu: `${random.cpu}m` } },
          },
        ],
      },
    },
  },
});

export const writtenClaim = (work: string, data: string): Written => ({
  apiVersion: 'datadependency.volcano.sh/v1alpha1',
  kind: 'DataSourceClaim',
  metadata: { namespace: 'default', name: work },
  spec: {
    system: 's3',
    dataSourceType: 'bucket',
    dataSourceName: data,
    workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: work },
  },
});

export const writtenSource = (name: string, clusterNames: readonly string[]): Written => ({
  apiVersion: 'datadependency.volcano.sh/v1alpha1',
  kind: 'DataSource',
  metadata: { name },
  spec: { system: 's3', type: 'bucket', name, locality: { clusterNames } },
});

export const writtenQueue = (
  name: string,
  spec: JsonObject,
  annotations: JsonObject = {},
): Written => ({
  apiVersion: 'scheduling.volcano.sh/v1beta1',
  kind: 'Queue',
  metadata: { name, annotations },
  spec,
});
