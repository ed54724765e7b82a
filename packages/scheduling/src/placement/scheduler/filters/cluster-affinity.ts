import type { Filter } from '../filter.ts';

const REFUSAL = {
  filter: 'ClusterAffinity',
  reason: 'AffinityMismatch',
  message: 'cluster(s) did not match the placement cluster affinity constraint',
};

/** Only the clusters that the placement, or the term of it that is tried, means. */
export const clusterAffinityFilter: Filter = {
  name: REFUSAL.filter,
  reasons: [REFUSAL.reason],
  prepare: ({ tiers }) =>
    tiers === undefined
      ? undefined
      : (cluster) => (tiers.some((accepts) => accepts(cluster)) ? undefined : REFUSAL),
};
