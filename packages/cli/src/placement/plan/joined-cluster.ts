import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import { desiredTarget } from '@perigee/scheduling/clusters/inventory/execution-target';
import { knownOffer } from '@perigee/scheduling/clusters/inventory/known-offer';
import type { World } from '@perigee/scheduling/plan/world';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { formatTime } from '@perigee/schema/values/time';

type Status = NonNullable<MemberCluster['status']>;

/** The maximum of pods that Kubernetes recommends for a node, and a usual number of cores. */
const PODS_PER_NODE = 110;
const CORES_PER_NODE = 16;

/** The allocatable resources by the capacity that the cluster record states. */
const offeredRoom = (record: ClusterRecord): Status['resourceSummary'] => {
  const { cpuCapacity, memCapacity } = knownOffer(record);
  if (cpuCapacity === undefined || memCapacity === undefined) return undefined;
  const nodes = Math.max(1, Math.ceil(Number(cpuCapacity) / CORES_PER_NODE));
  return {
    allocatable: {
      cpu: String(cpuCapacity),
      memory: `${memCapacity}Gi`,
      pods: String(nodes * PODS_PER_NODE),
    },
  };
};

/** A new cluster counts as ready, with the API groups of the cluster that serves the most. */
const assumedStatus = (knownStatus: Status, { clusters, nowMs }: World): Status => {
  const [apis] = clusters
    .map(({ status }) => status?.apiEnablements ?? [])
    .toSorted((a, b) => b.length - a.length);
  const condition = {
    type: 'Ready',
    status: 'True',
    reason: 'ClusterReady',
    message: 'assumed by the plan',
  } as const;
  return {
    ...present({ apiEnablements: apis }),
    ...knownStatus,
    conditions: [{ ...condition, lastTransitionTime: formatTime(nowMs) }],
  };
};

/** The execution target that the inventory would create for a cluster record. */
const targetOf = (record: ClusterRecord, target: MemberCluster | undefined): MemberCluster => {
  const { metadata, spec } = desiredTarget(record, present({ present: target }));
  return {
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: {
      ...(target?.metadata ?? record.metadata),
      labels: { ...target?.metadata.labels, ...metadata.labels },
    },
    spec: { ...target?.spec, ...spec },
  } as MemberCluster;
};

/**
 * The execution target that a file describes, of either kind. An existing one keeps its status; that of a new one may
 * be in the file (`status.resourceSummary`, `status.apiEnablements`), and is assumed otherwise.
 */
export const joinedCluster = (
  storedObject: KubeObject,
  manifest: JsonObject,
  world: World,
): MemberCluster => {
  const isRecord = storedObject.apiVersion.startsWith('globalscheduler.com/');
  const storedCluster = world.clusters.find(
    ({ metadata }) => metadata.name === storedObject.metadata.name,
  );
  const target = isRecord
    ? targetOf(storedObject as ClusterRecord, storedCluster)
    : (storedObject as MemberCluster);
  if (storedCluster !== undefined)
    return { ...target, status: storedCluster.status } as MemberCluster;
  const room = isRecord ? offeredRoom(storedObject as ClusterRecord) : undefined;
  const knownStatus = {
    ...present({ resourceSummary: room }),
    ...(isRecord ? {} : (manifest.status as Status | undefined)),
  };
  return { ...target, status: assumedStatus(knownStatus, world) };
};
