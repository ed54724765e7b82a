import type { Entry } from '../ends/entry.ts';
import { type Doing, type SmallFile, toWire } from '../jobs/job.ts';
import type { FolderJob } from './folder-job.ts';
import type { Pool } from './pool.ts';

/** Small files go to a worker together, since each message costs as much as a file. */
const BATCH_FILES = 64;
const BATCH_BYTES = 4 * 2 ** 20;

/** An entry of the source, and its place in the target. */
export interface Item {
  readonly folder: FolderJob;
  readonly entry: Entry;
  /** In the target; the root of a tree may have another name there. */
  readonly name: Buffer;
  readonly path: Buffer;
  /** The version of what has its name in the target. */
  readonly there?: string;
}

/** Small files on their way to the workers. */
export class SmallFiles {
  readonly #pool: Pool;
  readonly #onDone: (copied: number) => void;
  #batch: { readonly item: Item; readonly file: SmallFile }[] = [];
  #bytes = 0;

  constructor(pool: Pool, onDone: (copied: number) => void) {
    this.#pool = pool;
    this.#onDone = onDone;
  }

  /** Its folder, which is held for it, is released when it is there. */
  async add(item: Item, doing: Doing): Promise<void> {
    const { entry, folder, name, path, there } = item;
    const { size, allocated, modifiedMs, mode, version } = entry;
    const from = toWire(folder.source.address(entry.name));
    const to = toWire(folder.target.address(name));
    const facts = { size, allocated, modifiedMs, mode, version, from, to, path: toWire(path) };
    const file = { ...facts, do: doing, ...(there !== undefined && { there }) };
    this.#batch.push({ item, file });
    this.#bytes += size;
    if (this.#batch.length >= BATCH_FILES || this.#bytes >= BATCH_BYTES) await this.submit();
  }

  /** Hands out those that wait for others. */
  async submit(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#bytes = 0;
    if (batch.length === 0) return;
    const files = batch.map(({ file }) => file);
    await this.#pool.submit({ kind: 'files', files }, (outcomes) => {
      this.#onDone(outcomes.filter(({ copied }) => copied).length);
      for (const { item } of batch) item.folder.release();
    });
  }
}
