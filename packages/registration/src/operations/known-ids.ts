import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';

const MOST = 50_000;

/**
 * Remembers which name an id was last seen with, so that most look-ups by id cost one request instead of a
 * list. It is only a hint: whoever uses it looks whether the cluster of that name still has the id.
 */
export class KnownIds {
  readonly #names = new Map<string, string>();

  see({ metadata: { uid, name } }: ClusterRecord): void {
    // What was seen last is forgotten last.
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
