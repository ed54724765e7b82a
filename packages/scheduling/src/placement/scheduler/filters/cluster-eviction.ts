import type { Filter } from '../filter.ts';

const REFUSAL = {
  filter: 'ClusterEviction',
  reason: 'BeingEvicted',
  message: 'cluster(s) is in the process of eviction',
};

/** Refuses clusters that the work is being evicted from, until the eviction is over. */
export const clusterEviction: Filter = {
  name: REFUSAL.filter,
  reasons: [REFUSAL.reason],
  prepare: ({ evictedFrom }) =>
    evictedFrom.size === 0
      ? undefined
      : ({ name }) => (evictedFrom.has(name) ? REFUSAL : undefined),
};
