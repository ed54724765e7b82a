import type { Filter } from '../filter.ts';
import { DATA_NOT_THERE } from '../outcome.ts';
import { AFFINITY_REFUSAL } from './cluster-affinity.ts';

/**
 * Passes the clusters of the placement that have the data. A cluster outside of the policy's affinity is refused for
 * that instead.
 */
export const dataLocality: Filter = {
  name: 'DataLocality',
  reasons: [DATA_NOT_THERE, AFFINITY_REFUSAL.reason],
  keepsToAffinities: ({ data }) => data !== undefined,
  prepare: ({ data, tiers }) => {
    if (data === undefined || tiers === undefined) return undefined;
    const refusalFor = (dataName: string) => ({
      filter: 'DataLocality',
      reason: DATA_NOT_THERE,
      message: `cluster(s) did not have the data: ${dataName}`,
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
