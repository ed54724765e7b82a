import { isDeepStrictEqual } from 'node:util';
import type { Cluster } from '@perigee/api/kinds/karmada/cluster';
import { affinityPredicate } from '@perigee/scheduling/placement/cluster-affinity';
import type { ClusterFacts } from '@perigee/scheduling/placement/cluster-facts';
import type { Binding } from './binding.ts';

/** What a change of a cluster can do: nothing, make room for waiting work, or move work as well. */
export type ClusterChange = 'none' | 'room' | 'fit';

const summaryOf = ({ status }: Cluster) => status?.resourceSummary;
const apisOf = ({ status }: Cluster) => status?.apiEnablements;

export const clusterChange = (
  now: Cluster | undefined,
  before: Cluster | undefined,
): ClusterChange => {
  if (now === undefined || before === undefined) return 'fit';
  const moved =
    now.metadata.generation !== before.metadata.generation ||
    now.metadata.deletionTimestamp !== before.metadata.deletionTimestamp ||
    !isDeepStrictEqual(now.metadata.labels, before.metadata.labels) ||
    // Work of a kind that a cluster has only now may be placed already, without that cluster.
    !isDeepStrictEqual(apisOf(now), apisOf(before));
  if (moved) return 'fit';
  return isDeepStrictEqual(summaryOf(now), summaryOf(before)) ? 'none' : 'room';
};

/** Whether a binding could use a cluster, by what its placement says of clusters; any of its terms counts. */
export const couldUse = ({ spec }: Binding, cluster: ClusterFacts): boolean => {
  const { clusterAffinity, clusterAffinities } = spec.placement ?? {};
  if (clusterAffinity !== undefined) return affinityPredicate(clusterAffinity)(cluster);
  if (clusterAffinities === undefined) return true;
  return clusterAffinities
    .flatMap((term) => [term, ...(term.overflowAffinities ?? [])])
    .some((affinity) => affinityPredicate(affinity)(cluster));
};
