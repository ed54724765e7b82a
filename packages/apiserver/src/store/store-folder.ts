import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../errors.ts';

const MARKER = 'perigee-store';
const FORMAT = 'perigee store, format 2\n';
/** Those that are brought into the format. */
const OLDER_FORMATS: readonly string[] = ['perigee store, format 1\n'];
const LOCK = 'process.lock';
/** Files that may exist before the first start has marked the folder. */
const FIRST_FILES: ReadonlySet<string> = new Set([
  MARKER,
  `${MARKER}.new`,
  LOCK,
  'data.mdb',
  'lock.mdb',
]);

/** Marks the folder as a store with access for its owner alone; refuses one with other content. */
const markOurs = (path: string): { readonly isNew: boolean } => {
  const names = readdirSync(path);
  if (names.length > 0 && !names.includes(MARKER)) {
    throw new StorageError(
      'foreign',
      `${path} holds something else than a store (such as ${names[0]}); name an empty folder`,
    );
  }
  const marker = join(path, MARKER);
  // One without content is left by a crash before anything was stored.
  const format = (names.length > 0 && readFileSync(marker, 'utf8')) || undefined;
  if (format !== undefined && format !== FORMAT && !OLDER_FORMATS.includes(format)) {
    throw new StorageError(
      'foreign',
      `${path} holds ${JSON.stringify(format.trim())}; this version reads ${JSON.stringify(FORMAT.trim())}`,
    );
  }
  chmodSync(path, 0o700);
  if (names.length === 0) writeFileSync(marker, '', { mode: 0o600, flush: true });
  return { isNew: format === undefined && names.every((name) => FIRST_FILES.has(name)) };
};

/** Records the format of the folder, in one step. */
const mark = (path: string): void => {
  const marker = join(path, MARKER);
  if (readFileSync(marker, 'utf8') === FORMAT) return;
  const draft = `${marker}.new`;
  writeFileSync(draft, FORMAT, { mode: 0o600, flush: true });
  renameSync(draft, marker);
  syncPath(path);
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

/** A file or a folder. Without a folder's, a file in it may not be found after a power failure. */
export const syncPath = (path: string): void => {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** A folder that one store uses alone, until it is disposed. */
export interface StoreFolder extends Disposable {
  /** True if nothing was ever stored in it. */
  readonly isNew: boolean;
  /** Notes that there is a store in it, in the format of this version. */
  mark(): void;
  /** Makes the names of the files durable, and those of the folders that were made for them. */
  sync(): void;
}

/** The advice for a folder that the system does not let us use. */
const usable = <T>(path: string, use: () => T): T => {
  try {
    return use();
  } catch (cause) {
    if (cause instanceof StorageError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StorageError(
      'broken',
      `cannot keep a store in ${path}: ${reason}; name a folder that this user can write to`,
      { cause },
    );
  }
};

export const openStoreFolder = (requestedPath: string): StoreFolder => {
  const path = resolve(requestedPath);
  const {
    made: createdFolder,
    isNew,
    held: folderLock,
  } = usable(path, () => {
    const createdFolder = mkdirSync(path, { recursive: true, mode: 0o700 });
    return { made: createdFolder, ...markOurs(path), held: lock(path) };
  });
  const sync = () => {
    const last = createdFolder === undefined ? path : dirname(createdFolder);
    for (let folder = path; ; folder = dirname(folder)) {
      syncPath(folder);
      if (folder === last) return;
    }
  };
  return {
    isNew,
    sync,
    mark: () => usable(path, () => mark(path)),
    [Symbol.dispose]: () => folderLock[Symbol.dispose](),
  };
};
