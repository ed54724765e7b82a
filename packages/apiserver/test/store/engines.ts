import { createMemoryStore } from '@perigee/apiserver/store/memory-store';
import type { Entry, Store } from '@perigee/apiserver/store/store';
import type { StoreOptions } from '@perigee/apiserver/store/store-options';

/** Every kind of store; what holds for one holds for all. */
export const ENGINES: readonly {
  readonly name: string;
  readonly open: (options?: StoreOptions) => Store;
}[] = [{ name: 'memory', open: createMemoryStore }];

export const put = (store: Store, table: string, key: string, value: unknown = key) =>
  store.write(table, key, () => ({ put: objectOf(key, value) }));

export const remove = (store: Store, table: string, key: string) =>
  store.write(table, key, () => ({ remove: true }));

export const objectOf = (key: string, value: unknown) => ({
  kind: 'Thing',
  metadata: { name: key.slice(key.indexOf('/') + 1) },
  data: { value: String(value) },
});

export const keysOf = (entries: readonly Entry[]): readonly string[] =>
  entries.map(({ key }) => key);
