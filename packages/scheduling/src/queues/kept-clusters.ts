import type { QueueEntry } from './shapes.ts';

const NONE: ReadonlySet<string> = new Set();

/** Clusters reserved for overdue or nominated work. */
export class KeptClusters {
  readonly #holders = new Map<string, QueueEntry>();

  /** A cluster that is reserved for other work keeps its holder. */
  keep(entry: QueueEntry, clusters: readonly string[]): void {
    for (const cluster of clusters) {
      if (!this.#holders.has(cluster)) this.#holders.set(cluster, entry);
    }
  }

  /**
   * The clusters reserved for others. Work of the holder's shape may use them: it is the same
   * demand.
   */
  avoidedBy({ shape }: QueueEntry): ReadonlySet<string> {
    if (this.#holders.size === 0) return NONE;
    const names = new Set<string>();
    for (const [cluster, holder] of this.#holders) if (holder.shape !== shape) names.add(cluster);
    return names;
  }

  /** Returns the clusters that were reserved for it. */
  release(entry: QueueEntry): ReadonlySet<string> {
    if (this.#holders.size === 0) return NONE;
    const releasedClusters = new Set<string>();
    for (const [cluster, holder] of this.#holders)
      if (holder === entry) releasedClusters.add(cluster);
    for (const cluster of releasedClusters) this.#holders.delete(cluster);
    return releasedClusters;
  }
}
