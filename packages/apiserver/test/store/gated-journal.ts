import type { Journal, JournalBatch } from '../../src/store/journal.ts';
import { JournaledStore } from '../../src/store/journaled-store.ts';
import type { StoreOptions } from '../../src/store/store-options.ts';

/** A journal that waits with every commit until it is told how it ends. */
export const gatedJournal = (options: StoreOptions = {}) => {
  const commits: (JournalBatch & PromiseWithResolvers<void>)[] = [];
  const arrivals: (() => void)[] = [];
  const journal: Journal = {
    load: () => ({ revision: 0, records: [] }),
    commit: (batch) => {
      const gate = Promise.withResolvers<void>();
      commits.push({ ...batch, ...gate });
      arrivals.shift()?.();
      return gate.promise;
    },
    [Symbol.asyncDispose]: async () => {},
  };
  const next = async () => {
    if (commits.length === 0) await new Promise<void>((resolve) => arrivals.push(resolve));
    return commits.shift()!;
  };
  return { store: new JournaledStore(journal, options), next };
};
