import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ObjectRef } from '../client/client.ts';
import { objectKey } from './object-key.ts';

/** The keys under which an index finds an object. Pure: it is asked again when the object goes. */
export type Indexer<T> = (object: T) => readonly string[];

interface Index<T> {
  readonly indexer: Indexer<T>;
  /** The indexer, except that an object on which it throws has no keys. */
  readonly keysOf: Indexer<T>;
  readonly entries: Map<string, Map<string, T>>;
}

const put = <T>({ keysOf, entries }: Index<T>, key: string, object: T): void => {
  for (const indexKey of keysOf(object)) {
    const entry = entries.get(indexKey);
    if (entry) entry.set(key, object);
    else entries.set(indexKey, new Map([[key, object]]));
  }
};

const take = <T>({ keysOf, entries }: Index<T>, key: string, object: T): void => {
  for (const indexKey of keysOf(object)) {
    const entry = entries.get(indexKey);
    entry?.delete(key);
    if (entry?.size === 0) entries.delete(indexKey);
  }
};

const makeIndex = <T>(indexer: Indexer<T>, onError: (error: unknown) => void): Index<T> => ({
  indexer,
  keysOf: (object) => {
    try {
      return indexer(object);
    } catch (error) {
      onError(error);
      return [];
    }
  },
  entries: new Map(),
});

/** Objects by namespace and name, and by the indexes that were asked for. */
export class ObjectStore<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #byNamespace: Index<T>;
  readonly #indexes = new Map<string, Index<T>>();
  readonly #onIndexerError: (error: unknown) => void;

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

  inNamespace(namespace: string): readonly T[] {
    return [...(this.#byNamespace.entries.get(namespace)?.values() ?? [])];
  }

  byIndex(name: string, indexKey: string): readonly T[] {
    const index = this.#indexes.get(name);
    if (!index) {
      throw new RangeError(`there is no index "${name}"; add it with addIndexer before using it`);
    }
    return [...(index.entries.get(indexKey)?.values() ?? [])];
  }

  /** Adds an index over the present and all later objects. The same one may be added again. */
  addIndexer(name: string, indexer: Indexer<T>): void {
    const existing = this.#indexes.get(name);
    if (existing?.indexer === indexer) return;
    if (existing) throw new RangeError(`another index is already named "${name}"`);
    const index = makeIndex(indexer, this.#onIndexerError);
    for (const [key, object] of this.#objects) put(index, key, object);
    this.#indexes.set(name, index);
  }

  set(object: T): void {
    const key = objectKey(object.metadata);
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#allIndexes()) {
      if (old) take(index, key, old);
      put(index, key, object);
    }
  }

  delete(object: T): void {
    const key = objectKey(object.metadata);
    this.#objects.delete(key);
    for (const index of this.#allIndexes()) take(index, key, object);
  }

  *#allIndexes(): Iterable<Index<T>> {
    yield this.#byNamespace;
    yield* this.#indexes.values();
  }
}
