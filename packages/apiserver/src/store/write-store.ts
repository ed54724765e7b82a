import type { StoredRecord } from './journal.ts';
import { LmdbJournal } from './lmdb-journal.ts';

const BATCH_RECORDS = 1000;
const BATCH_BYTES = 2 ** 23;

/**
 * Clients may have seen revisions that a restored or repaired store has lost. Its next revision is beyond all of
 * those, so that no revision has two states, and watches have to list again. So many writes take months.
 */
const REVISIONS_SKIPPED = 1_000_000_000;

/** A new store in its own folder, filled from a backup or a repair. */
export class StoreWriter implements AsyncDisposable {
  readonly #journal: LmdbJournal;
  #batch: StoredRecord[] = [];
  #bytes = 0;

  constructor(path: string) {
    this.#journal = new LmdbJournal({ path });
  }

  async add(record: StoredRecord): Promise<void> {
    // The reader reuses its memory.
    this.#batch.push({ ...record, bytes: Buffer.from(record.bytes) });
    this.#bytes += record.bytes.length;
    if (this.#batch.length >= BATCH_RECORDS || this.#bytes >= BATCH_BYTES) await this.#flush(0);
  }

  /** Writes the rest, and the highest revision that clients may have seen. */
  async finish(revision: number): Promise<void> {
    await this.#flush(revision + REVISIONS_SKIPPED);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#journal[Symbol.asyncDispose]();
  }

  async #flush(revision: number): Promise<void> {
    const changes = this.#batch.map((record) => ({ type: 'put', record }) as const);
    this.#batch = [];
    this.#bytes = 0;
    await this.#journal.commit({ revision, changes });
  }
}
