import { statfsSync } from 'node:fs';
import { type Database, open, type RootDatabase } from 'lmdb';
import { StorageError } from '../errors.ts';
import type { Journal, JournalBatch, JournalChange, StoredRecord } from './journal.ts';
import { type FileContent, readSoundFile } from './read-sound-file.ts';
import {
  FORMAT_KEY,
  HEAD_BYTES,
  NEWEST,
  RECORDS,
  REVISION_KEY,
  type RecordKey,
  writeNumber,
  writeRecord,
} from './record-format.ts';
import { openStoreFolder, type StoreFolder } from './store-folder.ts';

export interface LmdbOptions {
  /** The folder of the store; it is made when it is not there. */
  readonly path: string;
  /** Size of the reserved address space. The file grows as needed, and beyond it too. */
  readonly mapSize?: number;
}

const GIB = 2 ** 30;
const MIB = 2 ** 20;

interface Operation {
  readonly key: RecordKey;
  readonly value: Buffer | undefined;
}

const sizeOf = (change: JournalChange): number =>
  change.type === 'put' ? HEAD_BYTES + change.record.bytes.length : 0;

/** The values of a batch lie in one piece of memory, because LMDB asks for the address of each piece. */
const encode = (changes: readonly JournalChange[]): readonly Operation[] => {
  const all = Buffer.allocUnsafeSlow(changes.reduce((sum, change) => sum + sizeOf(change), 0));
  let end = 0;
  return changes.map((change) => {
    if (change.type === 'remove') return { key: [change.table, change.key], value: undefined };
    const { table, key } = change.record;
    const value = writeRecord(all, end, change.record);
    end += value.length;
    return { key: [table, key], value };
  });
};

/** LMDB gives the reason of a failed commit in a second promise. */
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
  readonly #records: Database<Buffer, RecordKey>;
  /** Content from the last process, until it is loaded. */
  #content: FileContent | undefined;

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
      // It would leave an unhandled promise behind when a commit fails.
      eventTurnBatching: false,
    } as const;
    try {
      this.#content = readSoundFile(path, this.#folder.isNew);
      this.#root = open<Buffer, string>(settings);
      this.#records = this.#openRecords();
      this.#folder.sync();
      this.#folder.mark();
    } catch (cause) {
      this.#folder[Symbol.dispose]();
      if (cause instanceof StorageError) throw cause;
      throw new StorageError('broken', `cannot open the store in ${path}: ${cause}`, { cause });
    }
  }

  load(): { readonly revision: number; readonly records: Iterable<StoredRecord> } {
    const { revision = 0, records = [] } = this.#content ?? {};
    this.#content = undefined;
    return { revision, records };
  }

  async commit({ revision, changes }: JournalBatch): Promise<void> {
    const operations = encode(changes);
    try {
      await this.#root.batch(() => {
        for (const { key, value } of operations) {
          void (value === undefined ? this.#records.remove(key) : this.#records.put(key, value));
        }
        void this.#root.put(REVISION_KEY, writeNumber(REVISION_KEY, revision));
      });
    } catch (error) {
      throw this.#failure(await reasonOf(error));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    using _ = this.#folder;
    await this.#root.close();
  }

  /** Opens the records; those of an older format are rewritten first, all at once or not at all. */
  #openRecords(): Database<Buffer, RecordKey> {
    const root = this.#root;
    const open = (name: string) => root.openDB<Buffer, RecordKey>({ name, encoding: 'binary' });
    const records = open(RECORDS[NEWEST]);
    if (root.get(FORMAT_KEY) !== undefined) return records;
    // An older version, which would find no records, must not open the folder any more.
    if (this.#content !== undefined) this.#folder.mark();
    const older = open(RECORDS[1]);
    const { revision = 0, records: storedRecords = [] } = this.#content ?? {};
    root.transactionSync(() => {
      for (const record of storedRecords) {
        const to = Buffer.allocUnsafeSlow(HEAD_BYTES + record.bytes.length);
        records.putSync([record.table, record.key], writeRecord(to, 0, record));
      }
      older.clearSync();
      root.putSync(REVISION_KEY, writeNumber(REVISION_KEY, revision));
      root.putSync(FORMAT_KEY, writeNumber(FORMAT_KEY, NEWEST));
    });
    return records;
  }

  #failure(cause: unknown): StorageError {
    const { bavail, bsize } = statfsSync(this.#path);
    return bavail * bsize < MIB
      ? new StorageError('full', `the disk of ${this.#path} is full; make room on it`, { cause })
      : new StorageError('broken', `writing to ${this.#path} failed: ${cause}`, { cause });
  }
}
