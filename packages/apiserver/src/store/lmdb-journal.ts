import { statfsSync } from 'node:fs';
import { type Database, open, type RootDatabase } from 'lmdb';
import { StorageError } from '../errors.ts';
import type { Journal, JournalBatch, JournalChange, StoredRecord } from './journal.ts';
import { requireLmdbFile } from './lmdb-file.ts';
import { SlabCopier } from './slab-copier.ts';
import { openStoreFolder, type StoreFolder } from './store-folder.ts';

export interface LmdbOptions {
  /** The folder of the store; it is made when it is not there. */
  readonly path: string;
  /** How much address space is reserved. The file grows as needed, and beyond it too. */
  readonly mapSize?: number;
}

const GIB = 2 ** 30;
const MIB = 2 ** 20;
/** Before each object stands its revision, so that starting need not parse objects. */
const REVISION_BYTES = 6;
const REVISION_KEY = 'revision';
const OBJECTS = 'objects';

type Key = [table: string, key: string];

const revisionBytes = (revision: number): Buffer => {
  const bytes = Buffer.alloc(REVISION_BYTES);
  bytes.writeUIntBE(revision, 0, REVISION_BYTES);
  return bytes;
};

type StoredValue = Pick<StoredRecord, 'revision' | 'bytes'>;

interface Operation {
  readonly key: Key;
  readonly value: Buffer | undefined;
}

const sizeOf = (change: JournalChange): number =>
  change.type === 'put' ? REVISION_BYTES + change.record.bytes.length : 0;

/** The values of a batch lie in one piece of memory, because LMDB asks for the address of each piece. */
const encode = (changes: readonly JournalChange[]): readonly Operation[] => {
  const all = Buffer.allocUnsafeSlow(changes.reduce((sum, change) => sum + sizeOf(change), 0));
  let end = 0;
  return changes.map((change) => {
    if (change.type === 'remove') return { key: [change.table, change.key], value: undefined };
    const { table, key, revision, bytes } = change.record;
    const start = end;
    end = all.writeUIntBE(revision, start, REVISION_BYTES);
    end += bytes.copy(all, end);
    return { key: [table, key], value: all.subarray(start, end) };
  });
};

/** LMDB says in a second promise why a commit failed. */
const reasonOf = async (error: unknown): Promise<unknown> => {
  if (!(error instanceof Error && 'commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (reason) {
    return reason;
  }
};

/** Keeps the state of a store in an LMDB file: one transaction, and one flush, for each batch. */
export class LmdbJournal implements Journal {
  readonly #path: string;
  readonly #folder: StoreFolder;
  readonly #root: RootDatabase<Buffer, string>;
  readonly #objects: Database<Buffer, Key>;

  constructor({ path, mapSize = 16 * GIB }: LmdbOptions) {
    if (!Number.isSafeInteger(mapSize) || mapSize < MIB) {
      throw new RangeError(
        `the map size must be a whole number of at least ${MIB}, not ${mapSize}`,
      );
    }
    this.#path = path;
    this.#folder = openStoreFolder(path);
    const settings = {
      path,
      mapSize,
      noSubdir: false,
      encoding: 'binary',
      permissionsMode: 0o600,
      // A commit then ends after its flush, and fails as a whole when that fails. Commits never
      // overlap here, because one follows another.
      overlappingSync: false,
      // It would leave a promise behind that nobody can catch when a commit fails.
      eventTurnBatching: false,
    } as const;
    try {
      requireLmdbFile(path);
      this.#root = open<Buffer, string>(settings);
      this.#objects = this.#root.openDB<Buffer, Key>({ name: OBJECTS, encoding: 'binary' });
      this.#folder.sync();
    } catch (cause) {
      this.#folder[Symbol.dispose]();
      if (cause instanceof StorageError) throw cause;
      throw new StorageError('broken', `cannot open the store in ${path}: ${cause}`, { cause });
    }
  }

  load(): { readonly revision: number; readonly records: Iterable<StoredRecord> } {
    const revision = this.#root.get(REVISION_KEY)?.readUIntBE(0, REVISION_BYTES) ?? 0;
    // All of them came at once, so that what later writes replace can never waste more than that.
    const copier = new SlabCopier();
    // Reads each value where LMDB has it, and so saves a copy and two buffers for every object.
    const encoder = {
      encode: (value: StoredValue): Buffer => value.bytes,
      decode: (value: Buffer, size: number): StoredValue => ({
        revision: value.readUIntBE(0, REVISION_BYTES),
        bytes: copier.copy(value, REVISION_BYTES, size),
      }),
    };
    const settings = { name: OBJECTS, encoder };
    const objects = this.#root.openDB<StoredValue, Key>(settings);
    const records = objects.getRange().map(({ key: [table, key], value }) => ({
      table,
      key,
      revision: value.revision,
      bytes: value.bytes,
    }));
    return { revision, records };
  }

  async commit({ revision, changes }: JournalBatch): Promise<void> {
    const operations = encode(changes);
    try {
      await this.#root.batch(() => {
        for (const { key, value } of operations) {
          void (value === undefined ? this.#objects.remove(key) : this.#objects.put(key, value));
        }
        void this.#root.put(REVISION_KEY, revisionBytes(revision));
      });
    } catch (error) {
      throw this.#failure(await reasonOf(error));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    using _ = this.#folder;
    await this.#root.close();
  }

  #failure(cause: unknown): StorageError {
    const { bavail, bsize } = statfsSync(this.#path);
    return bavail * bsize < MIB
      ? new StorageError('full', `the disk of ${this.#path} is full; make room on it`, { cause })
      : new StorageError('broken', `writing to ${this.#path} failed: ${cause}`, { cause });
  }
}
