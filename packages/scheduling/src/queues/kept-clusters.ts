import type { Waiting } from './shapes.ts';

const NONE: ReadonlySet<string> = new Set();

/** The clusters whose room is kept for work that has waited for too long. */
export class KeptClusters {
  readonly #holders = new Map<string, Waiting>();

  /** Clusters that are kept for other work already stay so. */
  keep(waiting: Waiting, clusters: readonly string[]): void {
    for (const cluster of clusters) {
      if (!this.#holders.has(cluster)) this.#holders.set(cluster, waiting);
    }
  }

  /** The clusters that work has to leave alone. Work of the same shape takes its turn. */
  avoidedBy({ shape }: Waiting): ReadonlySet<string> {
    if (this.#holders.size === 0) return NONE;
    const avoided = new Set<string>();
    for (const [cluster, holder] of this.#holders) if (holder.shape !== shape) avoided.add(cluster);
    return avoided;
  }

  /** Those that were kept for it. */
  release(waiting: Waiting): ReadonlySet<string> {
    if (this.#holders.size === 0) return NONE;
    const released = new Set<string>();
    for (const [cluster, holder] of this.#holders) if (holder === waiting) released.add(cluster);
    for (const cluster of released) this.#holders.delete(cluster);
    return released;
  }
}
