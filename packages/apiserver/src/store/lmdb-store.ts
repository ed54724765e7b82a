import type { Clock } from '@perigee/kube/clock/clock';
import type { FlushHealth } from './flush-health.ts';
import type { Journal } from './journal.ts';
import { JournaledStore } from './journaled-store.ts';
import { LmdbJournal, type LmdbOptions } from './lmdb-journal.ts';
import type { Store } from './store.ts';
import type { StoreOptions } from './store-options.ts';

/** A journal that measures the duration of its commits in seconds. */
const timedJournal = (
  journal: Journal,
  clock: Pick<Clock, 'monotonic'>,
  report: (seconds: number) => void,
): Journal => ({
  load: () => journal.load(),
  commit: async (batch) => {
    const startTime = clock.monotonic();
    await journal.commit(batch);
    report((clock.monotonic() - startTime) / 1000);
  },
  [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose](),
});

export interface LmdbStoreOptions extends StoreOptions, LmdbOptions {
  /** Gets the duration of each flush in seconds, by this clock. */
  readonly flushes?: {
    readonly clock: Pick<Clock, 'monotonic'>;
    readonly report: (seconds: number) => void;
  };
  /** Gets the results of flushes. */
  readonly health?: FlushHealth;
}

/** A store that outlives the process, in a folder that it alone uses. */
export const openLmdbStore = (options: LmdbStoreOptions): Store => {
  const { flushes, health } = options;
  const lmdb = new LmdbJournal(options);
  const journal = health === undefined ? lmdb : health.watching(lmdb);
  return new JournaledStore(
    flushes === undefined ? journal : timedJournal(journal, flushes.clock, flushes.report),
    options,
  );
};
