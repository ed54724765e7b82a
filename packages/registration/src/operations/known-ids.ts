import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';

const MOST = 50_000;

/**
 * A bounded cache from id to name, so that most look-ups by id cost one request instead of a list. Entries
 * are hints: the caller checks that the cluster of that name still has the id.
 */
export class KnownIds {
  readonly #names = new Map<string, string>();

  see({ metadata: { uid, name } }: ClusterRecord): void {
    // Reinserts the id, so that the map evicts the least recently seen one first.
    this.#names.delete(uid);
    this.#names.set(uid, name);
    if (this.#names.size <= MOST) return;
    const [oldest] = this.#names.keys();
    if (oldest !== undefined) this.#names.delete(oldest);
  }

  nameOf(id: string): string | undefined {
    return this.#names.get(id);
  }
}
