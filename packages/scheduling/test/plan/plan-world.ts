import type { ClusterTaintPolicy } from '@perigee/api/kinds/clusters/cluster-taint-policy';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import {
  createInterpreter,
  frameworkKinds,
  nativeKinds,
} from '@perigee/scheduling/interpreter/known-kinds';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import type { AnyPolicy } from '@perigee/scheduling/placement/policy/policy-for';
import { stateAfter } from '@perigee/scheduling/plan/plan';
import type { World } from '@perigee/scheduling/plan/world';

const NOW = Date.parse('2026-11-18T12:00:00Z');
const LONG_AGO = '2026-01-01T00:00:00Z';

const meta = (name: string, namespace?: string) => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
  uid: `uid-${name}`,
  resourceVersion: '1',
  generation: 1,
  creationTimestamp: LONG_AGO,
});

export interface ClusterWords {
  readonly cpu?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly taints?: MemberCluster['spec']['taints'];
  readonly region?: string;
}

/** A cluster that is ready. */
export const cluster = (
  name: string,
  { cpu = '10', labels = {}, taints = [], region }: ClusterWords = {},
): MemberCluster =>
  ({
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: { ...meta(name), labels },
    spec: { syncMode: 'Push', taints, ...(region === undefined ? {} : { region }) },
    status: {
      apiEnablements: [
        { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
        { groupVersion: 'batch/v1', resources: [{ name: 'jobs', kind: 'Job' }] },
      ],
      resourceSummary: { allocatable: { cpu, memory: '100Gi', pods: '1000' } },
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'ClusterReady',
          message: '',
          lastTransitionTime: LONG_AGO,
        },
      ],
    },
  }) as never;

export const deployment = (name: string, replicas: number, cpu = '1', labels = {}): Template =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...meta(name, 'default'), labels },
    spec: {
      replicas,
      template: {
        spec: { containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu } } }] },
      },
    },
  }) as never;

/** A policy for all Deployments of the namespace. */
export const policy = (placement: object, spec: object = {}): AnyPolicy =>
  ({
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: {
      ...meta('all', 'default'),
      labels: { 'propagationpolicy.karmada.io/permanent-id': 'all' },
    },
    spec: {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
      priority: 0,
      preemption: 'Never',
      conflictResolution: 'Abort',
      schedulerName: 'default-scheduler',
      placement,
      ...spec,
    },
  }) as never;

export const AGGREGATED = {
  replicaScheduling: {
    replicaSchedulingType: 'Divided',
    replicaDivisionPreference: 'Aggregated',
  },
};

export const DUPLICATED = { replicaScheduling: { replicaSchedulingType: 'Duplicated' } };

/** Drives work out of clusters that have not been ready for a minute. */
export const LOST: ClusterTaintPolicy = {
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'ClusterTaintPolicy',
  metadata: meta('lost'),
  spec: {
    addOnConditions: [
      { conditionType: 'Ready', operator: 'NotIn', statusValues: ['True'], forSeconds: 60 },
    ],
    taints: [{ key: 'example.com/lost', effect: 'NoExecute' }],
  },
} as never;

export const world = (parts: Partial<World> = {}): World => ({
  nowMs: NOW,
  interpreter: createInterpreter([...nativeKinds, ...frameworkKinds]),
  yaml: { parse: (text) => JSON.parse(text), format: (value) => JSON.stringify(value) },
  schedulers: [],
  clusters: [cluster('m1'), cluster('m2'), cluster('m3')],
  spaces: new Map(),
  taintPolicies: [],
  policies: [],
  overrides: [],
  templates: [],
  bindings: [],
  claims: [],
  sources: [],
  queues: [],
  namespaces: [],
  priorityClasses: [],
  ...parts,
});

const allocatedIn = (name: string, bindings: World['bindings']): number =>
  bindings.reduce((sum, { spec }) => {
    const { replicas = 0 } = (spec.clusters ?? []).find((one) => one.name === name) ?? {};
    return sum + replicas * Number(spec.replicaRequirements?.resourceRequest?.cpu ?? 0);
  }, 0);

/** The world once its templates are placed, with clusters that tell what they have left then. */
export const settled = (before: World): World => {
  const { templates } = before;
  const changes = templates.map((object) => ({ kind: 'put', of: 'template', object }) as const);
  const state = stateAfter({ ...before, templates: [] }, changes);
  const bindings = [...state.bindings.values()];
  const clusters = [...state.clusters.values()].map((one) => {
    const allocated = { cpu: String(allocatedIn(one.metadata.name, bindings)) };
    const resourceSummary = { ...one.status?.resourceSummary, allocated };
    return { ...one, status: { ...one.status, resourceSummary } } as MemberCluster;
  });
  const seen = { templates: [...state.templates.values()], claims: [...state.claims.values()] };
  return { ...before, ...seen, bindings, clusters, nowMs: state.nowMs };
};
