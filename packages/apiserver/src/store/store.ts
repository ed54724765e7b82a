import type { JsonObject } from '@perigee/schema/json';

/** One object as it is kept. */
export interface Entry {
  /** `namespace/name`, or the name alone; unique in its table. */
  readonly key: string;
  /** The revision of the write that made it: its resource version. */
  readonly revision: number;
  /** The object as JSON. `metadata.resourceVersion` in it is the revision. */
  readonly bytes: Buffer;
  /** The parsed object, parsed on first use and shared: never change it. */
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

/** An event with its table, for watches of several tables. */
export type TableEvent = StoreEvent & { readonly table: string };

/** Change of a key by a write: a new state, its removal, or none. */
export type Change =
  | {
      readonly put: JsonObject;
      /** The object as JSON, with its revision in it, if it can be had without serialising. */
      readonly text?: (revision: number) => string;
      /** Called with the size of the JSON in bytes before the write; throws if it is too large. */
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
  /** Revision of the state; the newest by default. */
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
  /** True if the backlog is larger than one portion. */
  readonly isBehind: boolean;
  /** Every event up to this revision has been delivered: the revision for a bookmark. */
  readonly revision: number;
}

/**
 * Keeps objects in tables, in the order of their keys, under one revision that grows with every write. Callers name
 * the tables, such as `root/apps/deployments`. All that is read, watched and returned is durable. Throws
 * `RevisionError` for a revision that it cannot serve.
 */
export interface Store extends AsyncDisposable {
  /** The revision of the last published write. */
  readonly revision: number;
  /** The oldest revision from which a watch can resume. */
  readonly compacted: number;
  get(table: string, key: string): Entry | undefined;
  /**
   * Changes one key. `decide` runs synchronously, with the newest state (including one that is not flushed yet) and
   * the revision of the write; it may throw, and then nothing is written. Resolves when the write is durable and
   * published. A refusal, or an unchanged state, is returned after the state that it was decided upon is durable
   * and published, too; if that is lost, `decide` runs again.
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
   * All events from now on in tables with the prefix, including future tables, in the order of revisions. A dropped
   * table has an event for each of its objects.
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
