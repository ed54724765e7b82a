import type { Entry } from './entry.ts';

export type MaybePromise<T> = T | Promise<T>;

/** A folder of the tree that is read. */
export interface SourceFolder extends Disposable {
  entries(): AsyncIterable<Entry> | Iterable<Entry>;
  /** The entry of that name as it is now. */
  lookup(name: Buffer): MaybePromise<Entry | undefined>;
  /** True if there is an entry of that name; asked when all of them were gone through. */
  has(name: Buffer): MaybePromise<boolean>;
  enter(name: Buffer): MaybePromise<SourceFolder>;
  /** Address of the file of that name for workers; valid until the folder is disposed. */
  address(name: Buffer): Buffer;
  /** True if no entry came or went since the folder was opened, as far as the store knows. */
  isUnchanged(): MaybePromise<boolean>;
  /** The folder itself. */
  readonly entry: Entry;
}

/** A tree that is read: what it is, and the folder in which it is found by its name. */
export interface Source extends Disposable {
  readonly entry: Entry;
  /** Holds the tree under `entry.name`. */
  readonly parent: SourceFolder;
  /** The true place, to detect that two ends overlap. */
  readonly truePath: string;
  /** Reports to the server of the tree that all of it was copied. */
  finish?(): Promise<void>;
}

/** The digest of a file's content from its store, as text in hexadecimal digits. */
export interface RecordedDigest {
  readonly algorithm: 'sha256' | 'md5';
  readonly hex: string;
  /** Digest of the bytes that were read, if the algorithm is not that of the mover. */
  readonly actual?: string;
}

/** A file that is read by a worker. */
export interface ReadableFile extends Disposable {
  /** Reads up to the length of the buffer, and returns how much there was. */
  read(buffer: Buffer, position: number): MaybePromise<number>;
  /** Version of the file now, to be compared with that of the scan. */
  version(): MaybePromise<string>;
  /** Digest that the store recorded of the content, once the content was read. */
  recorded?(): RecordedDigest | undefined;
}
