import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../errors.ts';

const MARKER = 'perigee-store';
const FORMAT = 'perigee store, format 1\n';
const LOCK = 'process.lock';

/** Makes the folder ours and nobody else's to read; refuses one that holds something else. */
const claim = (path: string): void => {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const names = readdirSync(path);
  if (names.length === 0) {
    chmodSync(path, 0o700);
    writeFileSync(join(path, MARKER), FORMAT, { mode: 0o600, flush: true });
    return;
  }
  if (!names.includes(MARKER)) {
    throw new StorageError(
      'foreign',
      `${path} holds something else than a store (such as ${names[0]}); name an empty folder`,
    );
  }
  const format = readFileSync(join(path, MARKER), 'utf8');
  if (format !== FORMAT) {
    throw new StorageError(
      'foreign',
      `${path} holds ${JSON.stringify(format.trim())}; this version reads ${JSON.stringify(FORMAT.trim())}`,
    );
  }
  chmodSync(path, 0o700);
};

/**
 * Node has no file locks, but its SQLite does: the lock ends with the process, however that ends, and
 * does not depend on process numbers, which differ from container to container.
 */
const lock = (path: string): Disposable => {
  const file = join(path, LOCK);
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    chmodSync(file, 0o600);
  } catch (cause) {
    database.close();
    if (!isBusy(cause)) throw cause;
    throw new StorageError('locked', `${path} is in use by another process; stop that one first`, {
      cause,
    });
  }
  return { [Symbol.dispose]: () => database.close() };
};

const SQLITE_BUSY = 5;

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;

/** A folder that this store alone uses until it is disposed. */
export const openStoreFolder = (path: string): Disposable => {
  claim(path);
  return lock(path);
};
