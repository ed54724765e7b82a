/** How fast work may be driven out of clusters. */
export interface EvictionRates {
  /** Bindings in a second, usually. */
  readonly perSecond: number;
  /** Bindings in a second while many clusters are unhealthy. */
  readonly perSecondWhenMany: number;
  /** From which share of unhealthy clusters on they are many. */
  readonly manyShare: number;
}

export const DEFAULT_EVICTION_RATES: EvictionRates = {
  perSecond: 0.5,
  perSecondWhenMany: 0.1,
  manyShare: 0.55,
};

/**
 * The rate for this state of the clusters. When most of them are in trouble, the trouble is more likely
 * here than there, and what is driven out has nowhere to go. When all are, nobody is driven out: who is cut off
 * from everything finds everything as it was, once that is over.
 */
export const evictionRate = (
  clusters: { readonly total: number; readonly unhealthy: number },
  { perSecond, perSecondWhenMany, manyShare }: EvictionRates,
): number => {
  if (clusters.total > 0 && clusters.unhealthy === clusters.total) return 0;
  const isMany = clusters.total > 0 && clusters.unhealthy / clusters.total >= manyShare;
  return isMany ? Math.min(perSecond, perSecondWhenMany) : perSecond;
};
