import type { JournalChange } from './journal.ts';
import type { PendingWrite } from './pending-head.ts';

/** Changes of the journal for the writes. A dropped table is removed key by key. */
export const journalChanges = (
  writes: readonly PendingWrite[],
  publishedKeys: (table: string) => readonly string[],
): readonly JournalChange[] => {
  const changes: JournalChange[] = [];
  const keysBeforeDrop = (table: string): ReadonlySet<string> => {
    const keys = new Set(publishedKeys(table));
    for (const change of changes) {
      if (change.type === 'put' && change.record.table === table) keys.add(change.record.key);
    }
    return keys;
  };
  for (const write of writes) {
    const { type, table } = write;
    if (type === 'put') {
      const { key, revision, bytes } = write.entry;
      changes.push({ type, record: { table, key, revision, bytes } });
    } else if (type === 'remove') {
      changes.push({ type, table, key: write.previous.key });
    } else {
      for (const key of keysBeforeDrop(table)) changes.push({ type: 'remove', table, key });
    }
  }
  return changes;
};
