import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StorageError } from '../errors.ts';

const MAGIC = 0xbeefc0de;
const MAGIC_AT = 24;
const HEAD_BYTES = 32;

const headOf = (file: string): Buffer => {
  const head = Buffer.alloc(HEAD_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    return head.subarray(0, readSync(descriptor, head));
  } finally {
    closeSync(descriptor);
  }
};

/** Refuses a file that LMDB did not write, because LMDB would crash on it with the whole process. */
export const requireLmdbFile = (folder: string): void => {
  const file = join(folder, 'data.mdb');
  if (!existsSync(file)) return;
  const head = headOf(file);
  const isLmdb = head.length === HEAD_BYTES && head.readUInt32LE(MAGIC_AT) === MAGIC;
  if (head.length === 0 || isLmdb) return;
  throw new StorageError(
    'broken',
    `${file} is damaged: it does not begin as an LMDB file; restore ${folder} from a backup`,
  );
};
