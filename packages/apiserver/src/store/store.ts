import type { JsonObject } from '@perigee/schema/json';

/** One object as it is kept. */
export interface Entry {
  /** `namespace/name`, or the name alone; unique in its table. */
  readonly key: string;
  /** The revision of the write that made it: its resource version. */
  readonly revision: number;
  /** The object as JSON. `metadata.resourceVersion` in it is the revision. */
  readonly bytes: Buffer;
  /** The same, parsed on first use and shared: never change it. */
  readonly object: JsonObject;
}

/** A change of one key, in the order of revisions. */
export type StoreEvent =
  | { readonly type: 'ADDED'; readonly revision: number; readonly entry: Entry }
  | {
      readonly type: 'MODIFIED';
      readonly revision: number;
      readonly entry: Entry;
      readonly previous: Entry;
    }
  | { readonly type: 'DELETED'; readonly revision: number; readonly previous: Entry };

/** The same, for who watches more than one table. */
export type TableEvent = StoreEvent & { readonly table: string };

/** Change of a key by a write: a new state, its removal, or none. */
export type Change =
  | {
      readonly put: JsonObject;
      /** The same as JSON, with its revision in it, from whoever can tell without writing it out. */
      readonly text?: (revision: number) => string;
      /** Told how many bytes its JSON has, before anything is written; throws if they are too many. */
      readonly acceptSize?: (bytes: number) => void;
    }
  | { readonly remove: true }
  | { readonly keep: true };

export interface WriteResult {
  /** The state after the write; absent when the key was removed or never there. */
  readonly entry: Entry | undefined;
  /** The state before it. */
  readonly previous: Entry | undefined;
  /** The revision of the write; the store's own when nothing changed. */
  readonly revision: number;
}

export interface RangeOptions {
  /** Only keys that begin so: a namespace with its slash. */
  readonly prefix?: string;
  /** Only keys after this one: where the page before ended. */
  readonly after?: string;
  readonly limit?: number;
  /** The state as of this revision; the newest unless given. */
  readonly revision?: number;
}

export interface Range {
  readonly entries: readonly Entry[];
  /** The revision that the entries are the state of. */
  readonly revision: number;
  /** Number of further entries. */
  readonly remaining: number;
}

export interface WatchOptions {
  readonly prefix?: string;
  /** Everything after this revision. */
  readonly since: number;
}

/**
 * Events as they are published, several at a time. It ends when it is disposed, when the table is
 * dropped, or when its reader is so slow that what it has not read yet passes the limit.
 */
export interface StoreWatch<E extends StoreEvent = StoreEvent>
  extends AsyncIterable<readonly E[]>,
    Disposable {
  /** Number of watches that get the same events. */
  readonly readers: number;
  /** True if more waits than is handed out in one go. */
  readonly isBehind: boolean;
  /** Every event up to this revision has been handed out: what a bookmark may say. */
  readonly revision: number;
}

/**
 * Keeps objects in tables, in the order of their keys, under one revision that grows with every write.
 * A table is named by whoever uses it, such as `root/apps/deployments`. What is read, watched and
 * answered has reached the disk. Throws `RevisionError` for a revision that it cannot serve.
 */
export interface Store extends AsyncDisposable {
  /** The revision of the last published write. */
  readonly revision: number;
  /** The oldest revision from which a watch can resume. */
  readonly compacted: number;
  get(table: string, key: string): Entry | undefined;
  /**
   * Changes one key. `decide` is called at once, with the newest state (also one whose write is still on
   * its way to the disk) and the revision that the write would get; it may throw, and then nothing
   * happens. Resolves when the write is durable and published. A refusal, or that nothing is to change,
   * is told when all that it was judged by is durable and published, too; if that is lost on its way,
   * `decide` is called again.
   */
  write(
    table: string,
    key: string,
    decide: (present: Entry | undefined, revision: number) => Change,
  ): Promise<WriteResult>;
  /** New states of a table that are decided and not flushed yet. */
  pending(table: string): readonly Entry[];
  range(table: string, options?: RangeOptions): Range;
  count(table: string): number;
  watch(table: string, options: WatchOptions): StoreWatch;
  /**
   * Everything from now on in the tables whose name begins so, those to come included, in the order of
   * revisions. A table that is dropped tells of each of its objects that it is gone.
   */
  watchAll(prefix?: string): StoreWatch<TableEvent>;
  /** The first events of a watch from this revision, synchronously. */
  changes(table: string, since: number): readonly StoreEvent[];
  /** The tables that hold something, those whose name begins so. */
  tables(prefix?: string): readonly string[];
  /** Forgets the past up to this revision: it can no longer be read, and watches no longer resume in it. */
  compact(revision: number): void;
  /** Removes a table with all its objects and ends its watches. */
  drop(table: string): Promise<void>;
}
