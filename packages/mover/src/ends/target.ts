import type { Entry } from './entry.ts';
import type { Piece } from './pieces.ts';
import type { MaybePromise } from './source.ts';

/** A folder of the tree that is written. */
export interface TargetFolder extends Disposable {
  lookup(name: Buffer): MaybePromise<Entry | undefined>;
  names(): AsyncIterable<Buffer> | Iterable<Buffer>;
  enter(name: Buffer): MaybePromise<TargetFolder>;
  /** Lets us write into it until it is finished, whatever its mode. */
  unlock(): MaybePromise<void>;
  make(name: Buffer): MaybePromise<TargetFolder>;
  link(name: Buffer, to: Buffer): MaybePromise<void>;
  setMode(name: Buffer, mode: number): MaybePromise<void>;
  /** Removes an entry with everything below it. */
  remove(name: Buffer): MaybePromise<void>;
  /** Address by which a worker renames a finished file to this name; valid until the folder is disposed. */
  address(name: Buffer): Buffer;
  /** Everything in it is there: gives it the rights and the time of its source. */
  finish(like: Entry, flush: boolean): MaybePromise<void>;
}

/** Bytes and entries that an end has room for. */
export interface Room {
  readonly bytes: number;
  /** Endless where the file system makes them as it needs them. */
  readonly entries: number;
}

/** A file that is written piece by piece, and has no name in the tree yet. */
export interface Part extends Disposable {
  readonly address: Buffer;
  /** Nothing was written to it yet: what is skipped is a hole. */
  readonly isFresh: boolean;
  /** Pieces that an earlier run has written, by their number, with their digests. */
  readonly donePieces: ReadonlyMap<number, Buffer>;
  /** Stretches to write, when these are not the pieces of the file. */
  readonly stretches?: readonly Piece[];
  /** Nothing is left to do: the target has the file. */
  readonly isThere?: boolean;
  /** Notes that a piece is there. */
  note(piece: number, digest: Buffer): MaybePromise<void>;
  /** Gives it its name in the tree. False if the store has lost what was written, so that it has to be written again. */
  commit(to: Buffer, like: Entry, flush: boolean): MaybePromise<boolean>;
}

/** Folder and name of the tree that is written. */
export interface TargetTree {
  readonly parent: TargetFolder;
  readonly name: Buffer;
}

/** A file that was read as a whole before it is written. */
export interface KnownContent {
  /** Address of the future file. */
  readonly address: Buffer;
  readonly digest: Buffer;
  /** Of each of its pieces. */
  readonly pieces: readonly Buffer[];
}

/** Abilities of a store beside names and bytes of files. */
export interface Keeping {
  /** Times; a store without them compares files by their content. */
  readonly times: boolean;
  readonly links: boolean;
  /** Announces the content of a larger file before it takes it. */
  readonly needsDigest: boolean;
}

/** A tree that is written. Nothing is touched before it is prepared. */
export interface Target extends Disposable {
  /** The existing part of the tree, with the remains of an earlier run. */
  readonly tree: TargetTree | undefined;
  /** The tree gets its name when it is whole. Otherwise its name was there, and its files get theirs. */
  readonly isNew: boolean;
  readonly keeps: Keeping;
  /** The true place, to detect that two ends overlap. */
  readonly truePath: string;
  room(): MaybePromise<Room>;
  /** Number of bytes of an unfinished file that an earlier run has written. */
  resumable(path: Buffer, like: Entry): MaybePromise<number>;
  /** Makes ready to write, and keeps others away. */
  prepare(): Promise<TargetTree>;
  /** Folder in which workers write files that have no name yet. */
  readonly partsAddress: Buffer;
  /** @param content what the file holds, if the target has asked for that */
  part(path: Buffer, like: Entry, content?: KnownContent): MaybePromise<Part>;
  /** Gives the whole its name, and forgets how it was made. */
  commit(flush: boolean): MaybePromise<void>;
}

/** A file that is written by a worker. */
export interface WritableFile extends Disposable {
  write(buffer: Buffer, position: number): MaybePromise<void>;
  resize(size: number): MaybePromise<void>;
  read(buffer: Buffer, position: number): MaybePromise<number>;
  flush(): MaybePromise<void>;
}
