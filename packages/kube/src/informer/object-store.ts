import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ObjectRef } from '../client/client.ts';
import { objectKey } from './object-key.ts';

/** The keys under which an index finds an object. Pure: it is asked again when the object goes. */
export type Indexer<T> = (object: T) => readonly string[];

/** Most index keys find one object, for which a set would be ten times as large. */
type Keys = string | Set<string>;

interface Index<T> {
  readonly indexer: Indexer<T>;
  /** The indexer, except that an object on which it throws has no keys. */
  readonly keysOf: Indexer<T>;
  /** The keys of the objects, by index key. Made when it is first asked for: many never are. */
  entries?: Map<string, Keys>;
}

type Entries = NonNullable<Index<unknown>['entries']>;

const NO_KEYS: readonly string[] = [];

const put = (entries: Entries, indexKeys: readonly string[], key: string): void => {
  for (const indexKey of indexKeys) {
    const entry = entries.get(indexKey);
    if (entry === undefined || entry === key) entries.set(indexKey, key);
    else if (typeof entry === 'string') entries.set(indexKey, new Set([entry, key]));
    else entry.add(key);
  }
};

const take = (entries: Entries, indexKeys: readonly string[], key: string): void => {
  for (const indexKey of indexKeys) {
    const entry = entries.get(indexKey);
    if (typeof entry === 'object') entry.delete(key);
    if (entry === key || (typeof entry === 'object' && entry.size === 0)) entries.delete(indexKey);
  }
};

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((key, at) => key === b[at]);

const makeIndex = <T>(indexer: Indexer<T>, onError: (error: unknown) => void): Index<T> => ({
  indexer,
  keysOf: (object) => {
    try {
      return indexer(object);
    } catch (error) {
      onError(error);
      return NO_KEYS;
    }
  },
});

/** Objects by namespace and name, and by the indexes that were asked for. */
export class ObjectStore<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #byNamespace: Index<T>;
  readonly #indexes = new Map<string, Index<T>>();
  readonly #onIndexerError: (error: unknown) => void;
  #list: readonly T[] | undefined;

  constructor(onIndexerError: (error: unknown) => void) {
    this.#onIndexerError = onIndexerError;
    this.#byNamespace = makeIndex(({ metadata }) => [metadata.namespace ?? ''], onIndexerError);
  }

  get size(): number {
    return this.#objects.size;
  }

  get(ref: ObjectRef): T | undefined {
    return this.#objects.get(objectKey(ref));
  }

  values(): Iterable<T> {
    return this.#objects.values();
  }

  /** All objects; the very same array until one of them changes. */
  list(): readonly T[] {
    this.#list ??= [...this.#objects.values()];
    return this.#list;
  }

  inNamespace(namespace: string): readonly T[] {
    return this.#find(this.#byNamespace, namespace);
  }

  byIndex(name: string, indexKey: string): readonly T[] {
    const index = this.#indexes.get(name);
    if (!index) {
      throw new RangeError(`there is no index "${name}"; add it with addIndexer before using it`);
    }
    return this.#find(index, indexKey);
  }

  /** Adds an index over the present and all later objects. The same one may be added again. */
  addIndexer(name: string, indexer: Indexer<T>): void {
    const existing = this.#indexes.get(name);
    if (existing?.indexer === indexer) return;
    if (existing) throw new RangeError(`another index is already named "${name}"`);
    this.#indexes.set(name, makeIndex(indexer, this.#onIndexerError));
  }

  set(object: T): void {
    const key = objectKey(object.metadata);
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    this.#recordChange(key, old, object);
  }

  delete(object: T): void {
    const key = objectKey(object.metadata);
    this.#objects.delete(key);
    this.#recordChange(key, object, undefined);
  }

  #recordChange(key: string, old: T | undefined, object: T | undefined): void {
    this.#list = undefined;
    this.#reindex(this.#byNamespace, key, old, object);
    for (const index of this.#indexes.values()) this.#reindex(index, key, old, object);
  }

  #reindex({ entries, keysOf }: Index<T>, key: string, old: T | undefined, now: T | undefined) {
    if (entries === undefined) return;
    const before = old === undefined ? NO_KEYS : keysOf(old);
    const after = now === undefined ? NO_KEYS : keysOf(now);
    if (isSame(before, after)) return;
    take(entries, before, key);
    put(entries, after, key);
  }

  #find(index: Index<T>, indexKey: string): readonly T[] {
    index.entries ??= this.#entriesOf(index);
    const entry = index.entries.get(indexKey) ?? [];
    const keys = typeof entry === 'string' ? [entry] : entry;
    return Array.from(keys, (key) => this.#objects.get(key) as T);
  }

  #entriesOf({ keysOf }: Index<T>): Entries {
    const entries: Entries = new Map();
    for (const [key, object] of this.#objects) put(entries, keysOf(object), key);
    return entries;
  }
}
