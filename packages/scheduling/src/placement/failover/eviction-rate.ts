/** Rate limits of taint-based evictions. */
export interface EvictionRates {
  /** Bindings per second, normally. */
  readonly perSecond: number;
  /** Bindings per second while many clusters are unhealthy. */
  readonly perSecondWhenMany: number;
  /** The share of unhealthy clusters from which they count as many. */
  readonly manyShare: number;
}

export const DEFAULT_EVICTION_RATES: EvictionRates = {
  perSecond: 0.5,
  perSecondWhenMany: 0.1,
  manyShare: 0.55,
};

/**
 * The eviction rate for the current health of the clusters. If most are unhealthy, the fault is
 * likely on our side, and evicted work would have nowhere to go. If all are, evictions stop: after
 * a network partition everything is unchanged.
 */
export const evictionRate = (
  clusters: { readonly total: number; readonly unhealthy: number },
  { perSecond, perSecondWhenMany, manyShare }: EvictionRates,
): number => {
  if (clusters.total > 0 && clusters.unhealthy === clusters.total) return 0;
  const isMany = clusters.total > 0 && clusters.unhealthy / clusters.total >= manyShare;
  return isMany ? Math.min(perSecond, perSecondWhenMany) : perSecond;
};
