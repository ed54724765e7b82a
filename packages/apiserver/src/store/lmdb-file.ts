import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The record of a tree in LMDB. */
export interface TreeRecord {
  /** True if its keys and values are bytes, and each key has one value. */
  readonly isPlain: boolean;
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly overflowPages: number;
  readonly entries: number;
  /** The page that the tree begins with; none when it is empty. */
  readonly root: number | undefined;
}

/** The state after one commit. A file has those of the last two. */
export interface Commit {
  readonly transaction: number;
  readonly lastPage: number;
  readonly free: TreeRecord;
  readonly main: TreeRecord;
}

const FLAGS_IN_TREE = 4;
const NUMBER_KEYS = 8;

const MAGIC = 0xbeefc0de;
const VERSION = 2;
const META = 8;
const META_BYTES = 160;
const AT = {
  flags: 18,
  magic: 24,
  version: 28,
  address: 32,
  mapSize: 40,
  free: 48,
  main: 96,
  lastPage: 144,
  transaction: 152,
} as const;
export const TREE_RECORD_BYTES = 48;
const NO_PAGE = 2n ** 64n - 1n;
const SMALLEST_PAGE = 512;
const LARGEST_PAGE = 65_536;
const LARGEST_MAP = 2n ** 47n;
const MOST_UNWRITTEN = 2 ** 16;

/** A number beyond what can be counted is as wrong as any other that is too large. */
export const numberAt = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at));

export const treeRecordAt = (bytes: Buffer, at: number): TreeRecord => ({
  isPlain: bytes.readUInt32LE(at) === 0 && bytes.readUInt16LE(at + FLAGS_IN_TREE) === 0,
  depth: bytes.readUInt16LE(at + 6),
  branchPages: numberAt(bytes, at + 8),
  leafPages: numberAt(bytes, at + 16),
  overflowPages: numberAt(bytes, at + 24),
  entries: numberAt(bytes, at + 32),
  root: bytes.readBigUInt64LE(at + 40) === NO_PAGE ? undefined : numberAt(bytes, at + 40),
});

const isPageSize = (size: number): boolean =>
  size >= SMALLEST_PAGE && size <= LARGEST_PAGE && (size & (size - 1)) === 0;

/** Undefined for what cannot be the record of a commit. */
const commitOf = (meta: Buffer, page: number, pageSize: number): Commit | undefined => {
  const isSound =
    numberAt(meta, 0) === page &&
    meta.readUInt16LE(AT.flags) === META &&
    meta.readUInt32LE(AT.magic) === MAGIC &&
    meta.readUInt32LE(AT.version) === VERSION &&
    meta.readUInt32LE(AT.free) === pageSize &&
    meta.readBigUInt64LE(AT.address) === 0n &&
    meta.readBigUInt64LE(AT.mapSize) <= LARGEST_MAP &&
    meta.readUInt16LE(AT.free + FLAGS_IN_TREE) === NUMBER_KEYS;
  if (!isSound) return undefined;
  return {
    transaction: numberAt(meta, AT.transaction),
    lastPage: numberAt(meta, AT.lastPage),
    free: treeRecordAt(meta, AT.free),
    main: treeRecordAt(meta, AT.main),
  };
};

/**
 * Reads a file of LMDB without LMDB, which ends the whole process on some of those that are damaged. Of the
 * format, only what the store uses is known here.
 */
export class LmdbFile implements Disposable {
  readonly size: number;
  readonly pageSize: number;
  /** Those that can be read, the newest first. */
  readonly commits: readonly Commit[];
  readonly #descriptor: number;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'r');
    this.size = fstatSync(this.#descriptor).size;
    this.pageSize = this.#findPageSize();
    const metaCommits = [0, 1].map((page) => {
      const meta = this.#meta(page * this.pageSize);
      return meta && commitOf(meta, page, this.pageSize);
    });
    // Pages at the end that are free need not be there. But LMDB ends the process on too many.
    const most = 2 * Math.ceil(this.size / this.pageSize) + MOST_UNWRITTEN;
    this.commits = metaCommits
      .filter((commit) => commit !== undefined)
      .filter(({ lastPage }) => lastPage <= most)
      .toSorted((a, b) => b.transaction - a.transaction);
  }

  /** Reads as many pages as fit into the buffer, from that one on; returns true if they all exist. */
  read(into: Buffer, page: number): boolean {
    return this.#readAt(into, page * this.pageSize);
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }

  #readAt(into: Buffer, position: number): boolean {
    if (position + into.length > this.size) return false;
    return readSync(this.#descriptor, into, 0, into.length, position) === into.length;
  }

  #meta(position: number): Buffer | undefined {
    const meta = Buffer.alloc(META_BYTES);
    return this.#readAt(meta, position) ? meta : undefined;
  }

  /**
   * The second commit record is at the offset of one page, and holds the page size; if it cannot be read, the first
   * record has the size, too.
   */
  #findPageSize(): number {
    for (let size = SMALLEST_PAGE; size <= LARGEST_PAGE; size *= 2) {
      const second = this.#meta(size);
      if (second !== undefined && commitOf(second, 1, size) !== undefined) return size;
    }
    const claimedSize = this.#meta(0)?.readUInt32LE(AT.free) ?? 0;
    return isPageSize(claimedSize) ? claimedSize : 4096;
  }
}
