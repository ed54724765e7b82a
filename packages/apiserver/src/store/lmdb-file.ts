import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StorageError } from '../errors.ts';
import { hasWholeTree, type ReadPage } from './lmdb-pages.ts';

const MAGIC = 0xbeefc0de;
/** Where the fields of a meta page are, of which a file has two: one for each of the last two commits. */
const AT = {
  magic: 24,
  pageSize: 48,
  freeRoot: 88,
  mainRoot: 136,
  lastPage: 144,
  transaction: 152,
} as const;
const META_BYTES = 160;

const metaAt = (descriptor: number, position: number): Buffer | undefined => {
  const meta = Buffer.alloc(META_BYTES);
  const isWhole = readSync(descriptor, meta, 0, META_BYTES, position) === META_BYTES;
  return isWhole && meta.readUInt32LE(AT.magic) === MAGIC ? meta : undefined;
};

const problemOf = (descriptor: number): string | undefined => {
  const { size } = fstatSync(descriptor);
  if (size === 0) return undefined;
  const first = metaAt(descriptor, 0);
  if (first === undefined) return 'it does not begin as an LMDB file';
  const pageSize = first.readUInt32LE(AT.pageSize);
  const second = metaAt(descriptor, pageSize);
  if (second === undefined) return 'the record of its last commits is torn';
  const transactionOf = (meta: Buffer): bigint => meta.readBigUInt64LE(AT.transaction);
  const newest = transactionOf(second) > transactionOf(first) ? second : first;
  // The last pages may never have been written, when nothing is in them: then the file is shorter.
  if (BigInt(size) > newest.readBigUInt64LE(AT.lastPage) * BigInt(pageSize)) return undefined;
  const readPage: ReadPage = (page) => {
    const bytes = Buffer.alloc(pageSize);
    const end = (page + 1n) * BigInt(pageSize);
    if (end > BigInt(size)) return undefined;
    readSync(descriptor, bytes, 0, pageSize, end - BigInt(pageSize));
    return bytes;
  };
  const roots = [AT.freeRoot, AT.mainRoot].map((at) => newest.readBigUInt64LE(at));
  return roots.every((root) => hasWholeTree(readPage, root)) ? undefined : 'its end is missing';
};

/** Refuses a file that LMDB would crash on with the whole process, as far as a look at its head can tell. */
export const requireLmdbFile = (folder: string): void => {
  const file = join(folder, 'data.mdb');
  if (!existsSync(file)) return;
  const descriptor = openSync(file, 'r');
  try {
    const problem = problemOf(descriptor);
    if (problem === undefined) return;
    throw new StorageError(
      'broken',
      `${file} is damaged: ${problem}; restore ${folder} from a backup`,
    );
  } finally {
    closeSync(descriptor);
  }
};
