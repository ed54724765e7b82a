import type { ClaimData } from './claim-data.ts';

/** The maximum of every score plugin. */
const HIGHEST = 100;

/** Bounds the size of the annotation; the clusters with the highest scores are kept. */
const MOST_CLUSTERS = 2000;

/**
 * Cluster scores from claims that are preferences: each claim adds its preference where its data
 * is.
 */
export const preferredClusters = (
  wishes: readonly ClaimData[],
): { readonly [cluster: string]: number } => {
  const scores = new Map<string, number>();
  for (const { claim, clusters } of wishes) {
    const { preference = 0 } = claim.spec;
    for (const name of clusters) {
      scores.set(name, Math.min(HIGHEST, (scores.get(name) ?? 0) + preference));
    }
  }
  const best = [...scores]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, MOST_CLUSTERS)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(best);
};
