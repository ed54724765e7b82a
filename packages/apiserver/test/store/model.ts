import type { Entry, RangeOptions, StoreEvent } from '@perigee/apiserver/store/store';

/** Keys with the revisions that made them. */
export type TableState = ReadonlyMap<string, number>;

/** The contents of a store at every revision, kept in the simplest way: a copy for each. */
export class Model {
  readonly #states: ReadonlyMap<string, TableState>[] = [new Map()];
  readonly #drops = new Map<string, number[]>();
  readonly #events: number[] = [];

  get newest(): number {
    return this.#states.length - 1;
  }

  at(table: string, revision: number): TableState {
    return this.#states[revision]?.get(table) ?? new Map();
  }

  put(table: string, key: string): void {
    this.#events.push(this.newest + 1);
    const state = new Map(this.at(table, this.newest)).set(key, this.newest + 1);
    this.#add(table, state);
  }

  remove(table: string, key: string): void {
    this.#events.push(this.newest + 1);
    const state = new Map(this.at(table, this.newest));
    state.delete(key);
    this.#add(table, state);
  }

  drop(table: string): void {
    this.#drops.set(table, [...(this.#drops.get(table) ?? []), this.newest + 1]);
    this.#add(table, new Map());
  }

  /** The revision below which nothing of the table is known, for a window of so many events. */
  floor(table: string, revision: number, window: number): number {
    return Math.max(
      this.compacted(revision, window),
      ...(this.#drops.get(table) ?? []).filter((drop) => drop <= revision),
    );
  }

  compacted(revision: number, window: number): number {
    const events = this.#events.filter((event) => event <= revision);
    return events.at(-window - 1) ?? 0;
  }

  /** The revision at which a watch from the given one ends, because its table is dropped. */
  nextDrop(table: string, since: number): number | undefined {
    return this.#drops.get(table)?.find((drop) => drop > since);
  }

  #add(table: string, state: TableState): void {
    this.#states.push(new Map(this.#states.at(-1)).set(table, state));
  }
}

/** The keys and revisions of a range, and what remains. */
export const rangeOf = (
  state: TableState,
  { prefix = '', after = '', limit = Number.POSITIVE_INFINITY }: RangeOptions,
) => {
  const found = [...state]
    .filter(([key]) => key.startsWith(prefix) && key > after)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const entries = found.slice(0, limit);
  return { entries, remaining: found.length - entries.length };
};

export const shown = (entries: readonly Entry[]) =>
  entries.map(({ key, revision }) => [key, revision] as const);

/** The state that a watcher comes to. Throws when an event does not fit the state before it. */
export const replay = (state: TableState, events: readonly StoreEvent[]): TableState => {
  const result = new Map(state);
  for (const event of events) {
    const { key } = event.type === 'DELETED' ? event.previous : event.entry;
    const previous = event.type === 'ADDED' ? undefined : event.previous.revision;
    if (result.get(key) !== previous) {
      throw new Error(`${event.type} ${key} after ${previous}, but it was ${result.get(key)}`);
    }
    if (event.type === 'DELETED') result.delete(key);
    else result.set(key, event.revision);
  }
  return result;
};
