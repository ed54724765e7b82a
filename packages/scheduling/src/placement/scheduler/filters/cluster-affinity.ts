import type { Filter } from '../filter.ts';

export const AFFINITY_REFUSAL = {
  filter: 'ClusterAffinity',
  reason: 'AffinityMismatch',
  message: 'cluster(s) did not match the placement cluster affinity constraint',
};

/** Passes the clusters of the placement, or of its current term. */
export const clusterAffinityFilter: Filter = {
  name: AFFINITY_REFUSAL.filter,
  reasons: [AFFINITY_REFUSAL.reason],
  keepsToAffinities: ({ data }) => data === undefined,
  prepare: ({ tiers, data }) =>
    // With data, the locality filter gives the reason.
    tiers === undefined || data !== undefined
      ? undefined
      : (cluster) => (tiers.some((accepts) => accepts(cluster)) ? undefined : AFFINITY_REFUSAL),
};
