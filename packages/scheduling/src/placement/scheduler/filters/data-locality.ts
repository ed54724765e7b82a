import type { Filter } from '../filter.ts';
import { DATA_NOT_THERE } from '../outcome.ts';
import { AFFINITY_REFUSAL } from './cluster-affinity.ts';

/**
 * Only the clusters that have the data, among those that the placement means. One that the policy does not want either
 * is turned away for that.
 */
export const dataLocality: Filter = {
  name: 'DataLocality',
  reasons: [DATA_NOT_THERE, AFFINITY_REFUSAL.reason],
  keepsToAffinities: ({ data }) => data !== undefined,
  prepare: ({ data, tiers }) => {
    if (data === undefined || tiers === undefined) return undefined;
    const refusalFor = (missing: string) => ({
      filter: 'DataLocality',
      reason: DATA_NOT_THERE,
      message: `cluster(s) did not have the data: ${missing}`,
    });
    const { missingIn } = data;
    const refusal = refusalFor(data.name);
    return (cluster) => {
      if (tiers.some((accepts) => accepts(cluster))) return undefined;
      if (!data.wouldAccept(cluster)) return AFFINITY_REFUSAL;
      return missingIn === undefined ? refusal : refusalFor(missingIn(cluster.name));
    };
  },
};
