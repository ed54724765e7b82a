import type { Filter } from '../filter.ts';

export const AFFINITY_REFUSAL = {
  filter: 'ClusterAffinity',
  reason: 'AffinityMismatch',
  message: 'cluster(s) did not match the placement cluster affinity constraint',
};

/** Only the clusters that the placement, or the term of it that is tried, means. */
export const clusterAffinityFilter: Filter = {
  name: AFFINITY_REFUSAL.filter,
  reasons: [AFFINITY_REFUSAL.reason],
  keepsToAffinities: ({ data }) => data === undefined,
  prepare: ({ tiers, data }) =>
    // Those within data say why a cluster is not meant.
    tiers === undefined || data !== undefined
      ? undefined
      : (cluster) => (tiers.some((accepts) => accepts(cluster)) ? undefined : AFFINITY_REFUSAL),
};
