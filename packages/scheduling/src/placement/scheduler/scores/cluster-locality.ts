import type { Score } from '../filter.ts';

/** Work would rather stay where it is. */
export const clusterLocality: Score = {
  name: 'ClusterLocality',
  prepare: ({ previous }) =>
    previous.size === 0 ? undefined : ({ name }) => (previous.has(name) ? 100 : 0),
};
