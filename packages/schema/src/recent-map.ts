/**
 * A cache of the most recently used entries: at most as many as the limit, and of those at least the
 * half that was used last. It evicts whole generations, so that no call has to search for the oldest entry.
 */
export class RecentMap<K, V extends NonNullable<unknown>> {
  readonly #half: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  constructor(most: number) {
    this.#half = Math.max(1, Math.floor(most / 2));
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#half && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
