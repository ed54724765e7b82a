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
    !isDeepStrictEqual(now.metadata.labels, before.metadata.labels);
  if (moved) return 'fit';
  const grew =
    !isDeepStrictEqual(summaryOf(now), summaryOf(before)) ||
    !isDeepStrictEqual(apisOf(now), apisOf(before));
  return grew ? 'room' : 'none';
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
