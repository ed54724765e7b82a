/** Called when something about a member changed. */
export type ChangeListener = (clusterName: string) => void;

export class ChangeListeners {
  readonly #listeners = new Set<ChangeListener>();

  add(listener: ChangeListener): Disposable {
    // Wrapped, so that the same function can be added twice.
    const own: ChangeListener = (name) => listener(name);
    this.#listeners.add(own);
    return { [Symbol.dispose]: () => void this.#listeners.delete(own) };
  }

  notify(clusterName: string): void {
    for (const listener of this.#listeners) listener(clusterName);
  }
}
