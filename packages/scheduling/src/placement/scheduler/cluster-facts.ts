import type { ClusterTaint } from '@perigee/api/kinds/clusters/cluster-taints';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ParseError } from '@perigee/schema/errors';
import { present } from '@perigee/schema/present';
import type { SelectableCluster } from '../../clusters/cluster-affinity.ts';
import { SAME_AS } from '../../clusters/inventory/same-cluster.ts';
import { type Capacity, capacityOf } from './estimate/capacity.ts';
import type { ClusterSpace } from './estimate/exact-room.ts';

/** The facts about a cluster that placement needs, computed once per version of the object. */
export interface ClusterFacts extends SelectableCluster {
  /** The taints with an effect on placement, without PreferNoSchedule. */
  readonly taints: readonly ClusterTaint[];
  /** The served APIs, as `apps/v1 Deployment`. */
  readonly apis: ReadonlySet<string>;
  readonly isDeleting: boolean;
  /** The name of an earlier registration of the same cluster. */
  readonly sameAs?: string;
  /** Absent until the cluster reports its resources. */
  readonly capacity?: Capacity;
  /** The room of its nodes; absent unless a counter runs. */
  readonly space?: ClusterSpace;
  /** The reserved replicas, or whole sets; if present, it replaces all other estimates. */
  readonly keptReplicas?: number;
}

export const apiKey = (apiVersion: string, kind: string): string => `${apiVersion} ${kind}`;

const servedApis = ({ status }: MemberCluster): ReadonlySet<string> => {
  const apis = new Set<string>();
  for (const { groupVersion, resources = [] } of status?.apiEnablements ?? []) {
    for (const { kind } of resources) apis.add(apiKey(groupVersion, kind));
  }
  return apis;
};

/** An unreadable report counts as none, so that one bad cluster does not stop the others. */
const readCapacity = ({ spec, status }: MemberCluster): Capacity | undefined => {
  const summary = status?.resourceSummary;
  try {
    return summary && capacityOf(summary, spec.resourceModels);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
};

const readFacts = (cluster: MemberCluster): ClusterFacts => {
  const { metadata, spec } = cluster;
  const capacity = readCapacity(cluster);
  const sameAs = metadata.annotations?.[SAME_AS];
  return {
    name: metadata.name,
    labels: metadata.labels ?? {},
    provider: spec.provider ?? '',
    region: spec.region ?? '',
    zones: spec.zones ?? [],
    taints: (spec.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule'),
    apis: servedApis(cluster),
    isDeleting: metadata.deletionTimestamp !== undefined,
    ...present({ sameAs, capacity }),
  };
};

const factsCache = new WeakMap<MemberCluster, ClusterFacts>();

/** The facts of a cluster, cached per version of the object. */
export const clusterFacts = (cluster: MemberCluster): ClusterFacts => {
  const facts = factsCache.get(cluster) ?? readFacts(cluster);
  factsCache.set(cluster, facts);
  return facts;
};
