import type { TableEvent } from './store.ts';
import { subjectOf } from './store-event.ts';
import type { WatchQueue } from './watch-queue.ts';

type TableWatch = WatchQueue<TableEvent>;

/** The watches of more than one table, by the beginning of the names of their tables. */
export class TableWatches {
  readonly #prefixes = new Map<TableWatch, string>();

  get isEmpty(): boolean {
    return this.#prefixes.size === 0;
  }

  add(prefix: string, watch: TableWatch): void {
    this.#prefixes.set(watch, prefix);
  }

  remove(watch: TableWatch): void {
    this.#prefixes.delete(watch);
  }

  publish(published: readonly TableEvent[]): void {
    for (const [watch, prefix] of this.#prefixes) {
      const events = published.filter(({ table }) => table.startsWith(prefix));
      const bytes = events.reduce((sum, event) => sum + subjectOf(event).bytes.length, 0);
      if (events.length > 0) watch.push({ events, bytes });
    }
  }

  /** Ends all watches, after what already waits for their readers. */
  end(): void {
    for (const watch of [...this.#prefixes.keys()]) watch.end();
  }
}
