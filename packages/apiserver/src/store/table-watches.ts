import type { TableEvent } from './store.ts';
import { subjectOf } from './store-event.ts';
import type { WatchQueue } from './watch-queue.ts';

type TableWatch = WatchQueue<TableEvent>;

/** The prefix of a whole cluster, which is the most common one. */
const CLUSTER = /^[^/]*\/$/;

const clusterOf = (table: string): string => table.slice(0, table.indexOf('/') + 1);

const push = (watches: Iterable<TableWatch>, events: readonly TableEvent[]): void => {
  if (events.length === 0) return;
  const bytes = events.reduce((sum, event) => sum + subjectOf(event).bytes.length, 0);
  for (const watch of watches) watch.push({ events, bytes });
};

/** Watches of several tables, by prefix. Events of one cluster cost nothing for the watches of others. */
export class TableWatches {
  readonly #prefixes = new Map<TableWatch, string>();
  readonly #byPrefix = new Map<string, Set<TableWatch>>();
  /** Other prefixes, which have to be compared with every name. */
  readonly #others = new Set<string>();

  get isEmpty(): boolean {
    return this.#prefixes.size === 0;
  }

  add(prefix: string, watch: TableWatch): void {
    this.#prefixes.set(watch, prefix);
    const watches = this.#byPrefix.get(prefix) ?? new Set();
    this.#byPrefix.set(prefix, watches.add(watch));
    if (!CLUSTER.test(prefix)) this.#others.add(prefix);
  }

  remove(watch: TableWatch): void {
    const prefix = this.#prefixes.get(watch);
    if (prefix === undefined) return;
    this.#prefixes.delete(watch);
    const watches = this.#byPrefix.get(prefix);
    watches?.delete(watch);
    if (watches?.size !== 0) return;
    this.#byPrefix.delete(prefix);
    this.#others.delete(prefix);
  }

  publish(published: readonly TableEvent[]): void {
    for (const [cluster, events] of Map.groupBy(published, ({ table }) => clusterOf(table))) {
      if (CLUSTER.test(cluster)) push(this.#byPrefix.get(cluster) ?? [], events);
    }
    for (const prefix of this.#others) {
      const events = published.filter(({ table }) => table.startsWith(prefix));
      push(this.#byPrefix.get(prefix) ?? [], events);
    }
  }

  /** Ends all watches, after their backlog. */
  end(): void {
    for (const watch of [...this.#prefixes.keys()]) watch.end();
  }
}
