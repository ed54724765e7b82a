/** A state that is to outlive the process. */
export interface StoredRecord {
  readonly table: string;
  readonly key: string;
  readonly revision: number;
  readonly bytes: Buffer;
}

export type JournalChange =
  | { readonly type: 'put'; readonly record: StoredRecord }
  | { readonly type: 'remove'; readonly table: string; readonly key: string };

export interface JournalBatch {
  /** The highest revision that was given out; never to be given out again. */
  readonly revision: number;
  /** In order: a later change of a key replaces an earlier one. */
  readonly changes: readonly JournalChange[];
}

/**
 * Persistence of a store; another engine implements no more than this. `commit` is called again only after it has
 * settled.
 */
export interface Journal extends AsyncDisposable {
  /** Records of the last process. Called once, before anything else. */
  load(): { readonly revision: number; readonly records: Iterable<StoredRecord> };
  /**
   * Resolves when the whole batch is durable. Rejects when nothing of it is; a journal that does not know refuses all
   * later batches.
   */
  commit(batch: JournalBatch): Promise<void>;
}
