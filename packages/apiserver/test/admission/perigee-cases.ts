import type { Kind } from '@perigee/api/kind/define-kind';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Work } from '@perigee/api/kinds/placement/work';
import type { JsonObject } from '@perigee/schema/json';

type Admitted = (object: {
  readonly metadata: {
    readonly labels?: { readonly [key: string]: string };
    readonly finalizers?: readonly string[];
  };
  readonly spec: JsonObject;
}) => unknown;

/** Something written, and what is to be stored or why it is refused. */
export interface PerigeeCase {
  readonly name: string;
  readonly kind: Kind;
  readonly metadata?: JsonObject;
  readonly spec: JsonObject;
  /** Makes what is sent next of what was stored first. */
  readonly next?: (stored: JsonObject) => JsonObject;
  /** The part of the stored object that matters here; chance and time are shown as their forms. */
  readonly part?: Admitted;
  readonly expected?: unknown;
  /** The text of the refusal, whoever words the beginning. */
  readonly refused?: RegExp;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const selectors = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }];
const resource = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a' };

const idOf =
  (label: string): Admitted =>
  ({ metadata }) =>
    UUID.test(metadata.labels?.[label] ?? '') ? 'a uuid' : metadata.labels?.[label];

const withLabels = (object: JsonObject, labels: JsonObject | undefined): JsonObject => {
  const { labels: _, ...metadata } = object.metadata as JsonObject;
  return { ...object, metadata: labels === undefined ? metadata : { ...metadata, labels } };
};

const BINDING_ID = 'resourcebinding.karmada.io/permanent-id';

const identified = (kind: Kind, label: string, spec: JsonObject): PerigeeCase => ({
  name: `a new ${kind.kind} gets an id`,
  kind,
  spec,
  part: idOf(label),
  expected: 'a uuid',
});

export const PERIGEE_CASES: readonly PerigeeCase[] = [
  identified(PropagationPolicy, 'propagationpolicy.karmada.io/permanent-id', {
    resourceSelectors: selectors,
  }),
  identified(ClusterPropagationPolicy, 'clusterpropagationpolicy.karmada.io/permanent-id', {
    resourceSelectors: selectors,
  }),
  identified(ResourceBinding, BINDING_ID, { resource }),
  identified(ClusterResourceBinding, 'clusterresourcebinding.karmada.io/permanent-id', {
    resource,
  }),
  identified(Work, 'work.karmada.io/permanent-id', {}),
  {
    name: 'an id that is given stays',
    kind: ResourceBinding,
    metadata: { labels: { [BINDING_ID]: 'from-a-backup' } },
    spec: { resource },
    part: idOf(BINDING_ID),
    expected: 'from-a-backup',
  },
  {
    name: 'an id that an update leaves out stays',
    kind: ResourceBinding,
    metadata: { labels: { [BINDING_ID]: 'mine' } },
    spec: { resource },
    next: (stored) => withLabels(stored, undefined),
    part: idOf(BINDING_ID),
    expected: 'mine',
  },
  {
    name: 'an id cannot be changed',
    kind: ResourceBinding,
    spec: { resource },
    next: (stored) => withLabels(stored, { [BINDING_ID]: 'another' }),
    refused:
      /metadata\.labels\[resourcebinding\.karmada\.io\/permanent-id\]: Forbidden: it is set when the object is created, and cannot be changed/,
  },
  {
    name: 'a policy is held until what it claimed is let go',
    kind: PropagationPolicy,
    spec: { resourceSelectors: selectors },
    part: ({ metadata }) => metadata.finalizers,
    expected: ['karmada.io/propagation-policy-controller'],
  },
  {
    name: 'a policy that nothing holds any more is not held again',
    kind: ClusterPropagationPolicy,
    spec: { resourceSelectors: selectors },
    next: (stored) => {
      const { finalizers: _, ...metadata } = stored.metadata as JsonObject;
      return { ...stored, metadata };
    },
    part: ({ metadata }) => metadata.finalizers,
    expected: undefined,
  },
  {
    name: 'selectors of a policy are about its own namespace',
    kind: PropagationPolicy,
    spec: { resourceSelectors: selectors },
    part: ({ spec }) => (spec.resourceSelectors as JsonObject[])[0]?.namespace,
    expected: 'default',
  },
  {
    name: 'placements are completed',
    kind: PropagationPolicy,
    spec: {
      resourceSelectors: selectors,
      placement: {
        spreadConstraints: [{ maxGroups: 2 }],
        replicaScheduling: { replicaSchedulingType: 'Divided' },
      },
    },
    part: ({ spec }) => spec.placement,
    expected: {
      spreadConstraints: [{ spreadByField: 'cluster', minGroups: 1, maxGroups: 2 }],
      replicaScheduling: {
        replicaSchedulingType: 'Divided',
        replicaDivisionPreference: 'Weighted',
      },
    },
  },
  {
    name: 'a taint that moves work away says since when',
    kind: MemberCluster,
    spec: {
      syncMode: 'Push',
      taints: [
        { key: 'a', effect: 'NoExecute' },
        { key: 'b', effect: 'NoSchedule' },
      ],
    },
    part: ({ spec }) =>
      (spec.taints as readonly { timeAdded?: string }[]).map(({ timeAdded }) =>
        timeAdded === undefined ? 'no time' : TIME.test(timeAdded),
      ),
    expected: [true, 'no time'],
  },
  {
    name: 'a cluster gets grades for its nodes',
    kind: MemberCluster,
    spec: { syncMode: 'Push' },
    part: ({ spec }) => (spec.resourceModels as readonly JsonObject[]).length,
    expected: 9,
  },
  {
    name: 'other spellings become the canonical one',
    kind: ClusterRecord,
    spec: { ipAdrress: '10.0.0.3', CPUCapacity: 8 },
    part: ({ spec }) => spec,
    expected: { type: 'kubernetes', ipAddress: '10.0.0.3', cpuCapacity: 8 },
  },
  {
    name: 'spellings that contradict each other are refused',
    kind: ClusterRecord,
    spec: { ipAddress: '10.0.0.3', ipaddress: '10.0.0.4' },
    refused: /spec\.ipaddress/i,
  },
  {
    name: 'a claim stays as it is written',
    kind: DataSourceClaim,
    spec: {
      system: 'hive',
      dataSourceType: 'table',
      dataSourceName: 'sales',
      workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    },
    part: ({ spec }) => spec.dataSourceName,
    expected: 'sales',
  },
];
