import { StorageError } from '../errors.ts';
import type {
  Change,
  Entry,
  Range,
  RangeOptions,
  Store,
  StoreEvent,
  StoreWatch,
  TableEvent,
  WatchOptions,
  WriteResult,
} from '../store/store.ts';

/**
 * The part of a store that belongs to one cluster. It refuses tables of other clusters. On disposal its watches
 * end, and it refuses further reads and writes; the store itself stays open.
 */
export class ClusterStore implements Store {
  readonly #store: Store;
  readonly #prefix: string;
  readonly #watches = new Set<Disposable>();
  #isClosed = false;

  constructor(store: Store, cluster: string) {
    this.#store = store;
    this.#prefix = `${cluster}/`;
  }

  get revision(): number {
    return this.#store.revision;
  }

  get compacted(): number {
    return this.#store.compacted;
  }

  get(table: string, key: string): Entry | undefined {
    return this.#own(table).get(table, key);
  }

  async write(
    table: string,
    key: string,
    decide: (present: Entry | undefined, revision: number) => Change,
  ): Promise<WriteResult> {
    return this.#own(table).write(table, key, decide);
  }

  pending(table: string): readonly Entry[] {
    return this.#own(table).pending(table);
  }

  range(table: string, options?: RangeOptions): Range {
    return this.#own(table).range(table, options);
  }

  count(table: string): number {
    return this.#own(table).count(table);
  }

  watch(table: string, options: WatchOptions): StoreWatch {
    return this.#ending(this.#own(table).watch(table, options));
  }

  watchAll(prefix = this.#prefix): StoreWatch<TableEvent> {
    return this.#ending(this.#own(prefix).watchAll(prefix));
  }

  changes(table: string, since: number): readonly StoreEvent[] {
    return this.#own(table).changes(table, since);
  }

  tables(prefix = this.#prefix): readonly string[] {
    return this.#own(prefix).tables(prefix);
  }

  compact(): void {
    throw new Error('the past of one cluster is that of all: compact the whole store');
  }

  async drop(table: string): Promise<void> {
    return this.#own(table).drop(table);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const watch of [...this.#watches]) watch[Symbol.dispose]();
  }

  #own(table: string): Store {
    const cluster = this.#prefix.slice(0, -1);
    if (this.#isClosed) throw new StorageError('closed', `the cluster ${cluster} is closed`);
    if (!table.startsWith(this.#prefix)) {
      throw new Error(`the table ${table} is not one of the cluster ${cluster}`);
    }
    return this.#store;
  }

  #ending<E extends StoreEvent>(watch: StoreWatch<E>): StoreWatch<E> {
    const dispose = (): void => {
      this.#watches.delete(ending);
      watch[Symbol.dispose]();
    };
    const ending: StoreWatch<E> = {
      get readers() {
        return watch.readers;
      },
      get isBehind() {
        return watch.isBehind;
      },
      get revision() {
        return watch.revision;
      },
      [Symbol.asyncIterator]: () => watch[Symbol.asyncIterator](),
      [Symbol.dispose]: dispose,
    };
    this.#watches.add(ending);
    return ending;
  }
}
