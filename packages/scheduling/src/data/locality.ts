import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { DataSourceLocality } from '@perigee/api/kinds/data/data-source';
import { isConditionTrue } from '@perigee/api/values/conditions';
import { affinityPredicate, type SelectableCluster } from '../clusters/cluster-affinity.ts';

/** The cluster fields that a DataSource's locality can match. */
export interface LocatedCluster extends SelectableCluster {
  readonly isReady: boolean;
}

/** The registered clusters by name. */
export type LocatedClusters = ReadonlyMap<string, LocatedCluster>;

export const locatedCluster = ({ metadata, spec, status }: MemberCluster): LocatedCluster => ({
  name: metadata.name,
  labels: metadata.labels ?? {},
  provider: spec.provider ?? '',
  region: spec.region ?? '',
  zones: spec.zones ?? [],
  isReady: isConditionTrue(status?.conditions, 'Ready'),
});

/** The registered clusters that match a locality now, sorted. */
export const clustersOf = (
  { clusterNames = [], clusterAffinity }: DataSourceLocality,
  clusters: LocatedClusters,
): readonly string[] => {
  const names = new Set(clusterNames.filter((name) => clusters.has(name)));
  if (clusterAffinity !== undefined) {
    const accepts = affinityPredicate(clusterAffinity);
    for (const cluster of clusters.values()) if (accepts(cluster)) names.add(cluster.name);
  }
  return [...names].sort();
};
