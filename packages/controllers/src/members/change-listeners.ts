/** Who wants to know that something about a member cluster changed. */
export type ChangeListener = (clusterName: string) => void;

/** The listeners of one source of changes. */
export class ChangeListeners {
  readonly #listeners = new Set<ChangeListener>();

  add(listener: ChangeListener): Disposable {
    // Wrapped, so that one who listens twice is two.
    const own: ChangeListener = (name) => listener(name);
    this.#listeners.add(own);
    return { [Symbol.dispose]: () => void this.#listeners.delete(own) };
  }

  tell(clusterName: string): void {
    for (const listener of this.#listeners) listener(clusterName);
  }
}
