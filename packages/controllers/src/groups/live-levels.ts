import { DEFAULT_LEVELS, type GroupLevels } from '@perigee/scheduling/groups/group-levels';

/** The current rules for the owners of groups, with listeners. */
export class LiveLevels {
  readonly #listeners = new Set<() => void>();
  #current: GroupLevels | undefined;
  #areKnown = false;

  /** Undefined until the ConfigMap was read. */
  get current(): GroupLevels | undefined {
    return this.#current;
  }

  /**
   * False while the rules are invalid and no earlier valid ones exist: the defaults then apply to new pods, but no
   * pod is moved out of its group because of them.
   */
  get areKnown(): boolean {
    return this.#areKnown;
  }

  set(levels: GroupLevels): void {
    this.#change(levels, true);
  }

  /** Keeps the last valid rules after invalid ones. */
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
