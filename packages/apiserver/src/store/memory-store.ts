import type { Journal } from './journal.ts';
import { JournaledStore } from './journaled-store.ts';
import type { Store } from './store.ts';
import type { StoreOptions } from './store-options.ts';

const forgetful: Journal = {
  load: () => ({ revision: 0, records: [] }),
  commit: async () => {},
  [Symbol.asyncDispose]: async () => {},
};

/** A store that ends with the process. */
export const createMemoryStore = (options: StoreOptions = {}): Store =>
  new JournaledStore(forgetful, options);
