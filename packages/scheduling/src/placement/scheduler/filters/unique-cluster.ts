import type { Filter } from '../filter.ts';

const REFUSAL = {
  filter: 'UniqueCluster',
  reason: 'SameCluster',
  message: 'cluster(s) were known under another name before',
};

/** A cluster that has two names is used by the first. Work that is under the other one already stays. */
export const uniqueCluster: Filter = {
  name: REFUSAL.filter,
  reasons: [REFUSAL.reason],
  prepare:
    ({ previous }) =>
    ({ name, sameAs }) =>
      sameAs === undefined || previous.has(name) ? undefined : REFUSAL,
};
