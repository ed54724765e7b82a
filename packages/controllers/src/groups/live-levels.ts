import { DEFAULT_LEVELS, type GroupLevels } from '@perigee/scheduling/groups/group-levels';

/** The rules for the owners of groups as they are now, and news of their changes. */
export class LiveLevels {
  readonly #listeners = new Set<() => void>();
  #current: GroupLevels | undefined;
  #areKnown = false;

  /** Absent until somebody has looked for rules. */
  get current(): GroupLevels | undefined {
    return this.#current;
  }

  /**
   * False when the rules are wrong and no good ones are known: what stands in for them is good enough for new
   * pods, but no reason to take others out of the groups that they are in.
   */
  get areKnown(): boolean {
    return this.#areKnown;
  }

  set(levels: GroupLevels): void {
    this.#change(levels, true);
  }

  /** The rules are wrong: the last good ones stay. */
  keep(): void {
    if (this.#current === undefined) this.#change(DEFAULT_LEVELS, false);
  }

  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #change(levels: GroupLevels, areKnown: boolean): void {
    this.#current = levels;
    this.#areKnown = areKnown;
    for (const listener of this.#listeners) listener();
  }
}
