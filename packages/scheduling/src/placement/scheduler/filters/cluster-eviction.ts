import type { Filter } from '../filter.ts';

const REFUSAL = {
  filter: 'ClusterEviction',
  reason: 'BeingEvicted',
  message: 'cluster(s) is in the process of eviction',
};

/** What is on its way out of a cluster does not come back until it has left. */
export const clusterEviction: Filter = {
  name: REFUSAL.filter,
  reasons: [REFUSAL.reason],
  prepare: ({ evictedFrom }) =>
    evictedFrom.size === 0
      ? undefined
      : ({ name }) => (evictedFrom.has(name) ? REFUSAL : undefined),
};
