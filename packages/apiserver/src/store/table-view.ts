import type { JsonObject } from '@perigee/schema/json';
import { RevisionError } from '../errors.ts';
import type { Store, StoreEvent } from './store.ts';

interface Row<T> {
  readonly value: T;
  readonly indexKey: string | undefined;
}

/**
 * A view of the objects of one table, by key and by an index key. A refresh takes in the changes since the last one
 * from the store's history, and the writes that are decided and not flushed yet: the view is never stale.
 */
export class TableView<T> {
  readonly #table: string;
  readonly #read: (object: JsonObject) => T;
  readonly #indexKeyOf: (value: T) => string | undefined;
  readonly #rows = new Map<string, Row<T>>();
  readonly #byIndex = new Map<string, Map<string, T>>();
  /** Stays the same map while nothing changes. */
  readonly values = new Map<string, T>();
  #revision: number | undefined;
  /** Keys whose newest state was pending at the last refresh. */
  readonly #pendingKeys: string[] = [];

  constructor(
    table: string,
    read: (object: JsonObject) => T,
    indexKeyOf: (value: T) => string | undefined = () => undefined,
  ) {
    this.#table = table;
    this.#read = read;
    this.#indexKeyOf = indexKeyOf;
  }

  get(key: string): T | undefined {
    return this.#rows.get(key)?.value;
  }

  byIndex(indexKey: string): readonly T[] {
    return [...(this.#byIndex.get(indexKey)?.values() ?? [])];
  }

  refresh(store: Store): this {
    // Writes that were pending may have failed.
    for (const key of this.#pendingKeys.splice(0)) this.#reread(store, key);
    this.#catchUp(store);
    for (const { key, object } of store.pending(this.#table)) {
      this.#pendingKeys.push(key);
      this.#put(key, object);
    }
    return this;
  }

  #catchUp(store: Store): void {
    const { revision } = store;
    if (revision === this.#revision) return;
    const changes = this.#revision === undefined ? undefined : this.#since(store, this.#revision);
    if (changes === undefined) this.#rebuild(store);
    else for (const change of changes) this.#take(change);
    this.#revision = revision;
  }

  #reread(store: Store, key: string): void {
    const entry = store.get(this.#table, key);
    if (entry === undefined) this.#drop(key);
    else this.#put(key, entry.object);
  }

  #since(store: Store, revision: number): readonly StoreEvent[] | undefined {
    try {
      return store.changes(this.#table, revision);
    } catch (error) {
      if (error instanceof RevisionError) return undefined;
      throw error;
    }
  }

  #rebuild(store: Store): void {
    for (const key of [...this.#rows.keys()]) this.#drop(key);
    for (const { key, object } of store.range(this.#table).entries) this.#put(key, object);
  }

  #take(event: StoreEvent): void {
    if (event.type === 'DELETED') this.#drop(event.previous.key);
    else this.#put(event.entry.key, event.entry.object);
  }

  #put(key: string, object: JsonObject): void {
    this.#drop(key);
    const value = this.#read(object);
    const indexKey = this.#indexKeyOf(value);
    this.#rows.set(key, { value, indexKey });
    this.values.set(key, value);
    if (indexKey === undefined) return;
    const same = this.#byIndex.get(indexKey) ?? new Map<string, T>();
    this.#byIndex.set(indexKey, same.set(key, value));
  }

  #drop(key: string): void {
    const row = this.#rows.get(key);
    if (row === undefined) return;
    this.#rows.delete(key);
    this.values.delete(key);
    const same = row.indexKey === undefined ? undefined : this.#byIndex.get(row.indexKey);
    same?.delete(key);
    if (same?.size === 0) this.#byIndex.delete(row.indexKey ?? '');
  }
}
