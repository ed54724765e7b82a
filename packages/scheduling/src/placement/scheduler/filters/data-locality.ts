import type { Filter } from '../filter.ts';
import { DATA_NOT_THERE } from '../outcome.ts';

/** Only the clusters that have the data. One that the policy does not want either is turned away for that. */
export const dataLocality: Filter = {
  name: 'DataLocality',
  reasons: [DATA_NOT_THERE],
  prepare: ({ data, tiers }) => {
    if (data === undefined || tiers === undefined) return undefined;
    const refusal = {
      filter: 'DataLocality',
      reason: DATA_NOT_THERE,
      message: `cluster(s) did not have the data: ${data.name}`,
    };
    return (cluster) =>
      !tiers.some((accepts) => accepts(cluster)) && data.wouldAccept(cluster) ? refusal : undefined;
  },
};
