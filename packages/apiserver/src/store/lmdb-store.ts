import { JournaledStore } from './journaled-store.ts';
import { LmdbJournal, type LmdbOptions } from './lmdb-journal.ts';
import type { Store } from './store.ts';
import type { StoreOptions } from './store-options.ts';

export interface LmdbStoreOptions extends StoreOptions, LmdbOptions {}

/** A store that outlives the process, in a folder that it alone uses. */
export const openLmdbStore = (options: LmdbStoreOptions): Store =>
  new JournaledStore(new LmdbJournal(options), options);
