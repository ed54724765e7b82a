import type { Score } from '../filter.ts';

/** Prefers the present clusters of the work. */
export const clusterLocality: Score = {
  name: 'ClusterLocality',
  prepare: ({ previous }) =>
    previous.size === 0 ? undefined : ({ name }) => (previous.has(name) ? 100 : 0),
};
