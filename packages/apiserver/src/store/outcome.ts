import { entryOf } from './entry.ts';
import type { PendingWrite } from './pending-head.ts';
import type { Change, Entry, WriteResult } from './store.ts';

/** More than the longest names that Kubernetes allows, and less than any engine refuses. */
const LONGEST_KEY_BYTES = 950;

/** One key that an engine refuses would fail all writes of its batch. */
const requireShort = (table: string, key: string): void => {
  if (Buffer.byteLength(table) + Buffer.byteLength(key) <= LONGEST_KEY_BYTES) return;
  const start = `${table} ${key}`.slice(0, 60);
  throw new RangeError(`the key ${start}… is longer than ${LONGEST_KEY_BYTES} bytes`);
};

/** Result of a decision about a key. */
export type Outcome =
  | { readonly type: 'write'; readonly write: PendingWrite; readonly result: WriteResult }
  | { readonly type: 'keep'; readonly present: Entry | undefined }
  | { readonly type: 'refuse'; readonly refusal: unknown };

const carriedOut = (
  table: string,
  key: string,
  present: Entry | undefined,
  revision: number,
  change: Change,
): Outcome => {
  if ('put' in change) {
    requireShort(table, key);
    const entry = entryOf(key, revision, change.put, change.text?.(revision));
    change.acceptSize?.(entry.bytes.length);
    const write = { type: 'put', table, entry, previous: present } as const;
    return { type: 'write', write, result: { entry, previous: present, revision } };
  }
  if (!('remove' in change) || present === undefined) return { type: 'keep', present };
  const write = { type: 'remove', table, previous: present } as const;
  return { type: 'write', write, result: { entry: undefined, previous: present, revision } };
};

/** Runs a decision. A thrown refusal is an outcome, too, about the state that it read. */
export const outcomeOf = (
  table: string,
  key: string,
  present: Entry | undefined,
  revision: number,
  decide: (present: Entry | undefined, revision: number) => Change,
): Outcome => {
  try {
    return carriedOut(table, key, present, revision, decide(present, revision));
  } catch (refusal) {
    return { type: 'refuse', refusal };
  }
};
