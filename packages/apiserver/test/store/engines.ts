import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openLmdbStore } from '@perigee/apiserver/store/lmdb-store';
import { createMemoryStore } from '@perigee/apiserver/store/memory-store';
import type { Entry, Store } from '@perigee/apiserver/store/store';
import type { StoreOptions } from '../../src/store/store-options.ts';

/** A folder that is gone when the tests of the file are over. */
export const temporaryFolder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'perigee-store-'));
  after(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

/** Every kind of store; what holds for one holds for all. */
export const ENGINES: readonly {
  readonly name: string;
  readonly open: (options?: StoreOptions) => Store;
}[] = [
  { name: 'memory', open: createMemoryStore },
  { name: 'LMDB', open: (options) => openLmdbStore({ ...options, path: temporaryFolder() }) },
];

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
