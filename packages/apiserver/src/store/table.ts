import { TableHistory } from './history.ts';
import { rangeAt } from './snapshot.ts';
import { SortedEntries } from './sorted-entries.ts';
import type { Range, RangeOptions, StoreEvent } from './store.ts';
import { WatchHub } from './watch-hub.ts';

/** The published state of one table, its history, and its watches. */
export class Table {
  readonly entries = new SortedEntries();
  readonly history = new TableHistory();
  readonly watches = new WatchHub();
  /** Revision at which the table was created; an earlier one of the same name is unknown. */
  readonly floor: number;

  constructor(floor: number) {
    this.floor = floor;
  }

  /** True if nothing is lost when the table is forgotten. */
  isIdle(compacted: number): boolean {
    const isEmpty = this.entries.size === 0 && this.history.length === 0 && this.watches.isEmpty;
    return isEmpty && this.floor <= compacted;
  }

  apply(event: StoreEvent): void {
    if (event.type === 'DELETED') this.entries.delete(event.previous.key);
    else this.entries.set(event.entry);
  }

  range(options: RangeOptions, revision: number): Range {
    return { ...rangeAt(this.entries, this.history.after(revision), options), revision };
  }
}
