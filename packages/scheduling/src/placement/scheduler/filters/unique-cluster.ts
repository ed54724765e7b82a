import type { Filter } from '../filter.ts';

const REFUSAL = {
  filter: 'UniqueCluster',
  reason: 'SameCluster',
  message: 'cluster(s) were known under another name before',
};

/** A cluster registered twice is used under its first name. Work under the other one stays. */
export const uniqueCluster: Filter = {
  name: REFUSAL.filter,
  reasons: [REFUSAL.reason],
  prepare:
    ({ previous }) =>
    ({ name, sameAs }) =>
      sameAs === undefined || previous.has(name) ? undefined : REFUSAL,
};
