import type { Store } from '@perigee/apiserver/store/store';
import type { Journal, JournalBatch } from '../../src/store/journal.ts';
import { JournaledStore } from '../../src/store/journaled-store.ts';

/** A flush that is held back until a test says how it ends. */
export interface HeldFlush {
  /** Resolves when there is something to flush. */
  readonly began: Promise<void>;
  end(failure?: Error): void;
}

interface Held {
  readonly tables: readonly string[];
  readonly began: () => void;
  readonly gate: Promise<void>;
}

const changesOneOf = ({ changes }: JournalBatch, tables: readonly string[]): boolean =>
  changes.some((change) =>
    tables.includes(change.type === 'put' ? change.record.table : change.table),
  );

/** A store on a disk that takes everything at once, until a test holds the next flush back. */
export const heldStore = (): {
  readonly store: Store;
  /** Holds back the next flush that puts or removes something in one of the tables. */
  readonly hold: (...tables: readonly string[]) => HeldFlush;
} => {
  let held: Held | undefined;
  const journal: Journal = {
    load: () => ({ revision: 0, records: [] }),
    commit: async (batch) => {
      if (held === undefined || !changesOneOf(batch, held.tables)) return;
      const { began, gate } = held;
      held = undefined;
      began();
      await gate;
    },
    [Symbol.asyncDispose]: async () => {},
  };
  const hold = (...tables: readonly string[]): HeldFlush => {
    const began = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    held = { tables, began: began.resolve, gate: gate.promise };
    return {
      began: began.promise,
      end: (failure) => (failure === undefined ? gate.resolve() : gate.reject(failure)),
    };
  };
  return { store: new JournaledStore(journal, {}), hold };
};
