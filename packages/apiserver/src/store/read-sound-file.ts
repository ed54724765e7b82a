import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StorageError } from '../errors.ts';
import { type Damage, inspectFile } from './inspect-file.ts';
import type { StoredRecord } from './journal.ts';
import type { Format } from './record-format.ts';

const SLAB_BYTES = 2 ** 16;

/**
 * Copies many small buffers into few slabs: a buffer with memory of its own costs some 400 bytes beside its
 * content. Neighbours should live about as long, because a slab is freed as a whole.
 */
class SlabCopier {
  #slab = Buffer.alloc(0);
  #usedBytes = 0;

  copy(source: Buffer, from: number, to: number): Buffer {
    const length = to - from;
    if (length > SLAB_BYTES / 4) {
      const own = Buffer.allocUnsafeSlow(length);
      source.copy(own, 0, from, to);
      return own;
    }
    if (this.#usedBytes + length > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
      this.#usedBytes = 0;
    }
    const start = this.#usedBytes;
    this.#usedBytes += source.copy(this.#slab, start, from, to);
    return this.#slab.subarray(start, this.#usedBytes);
  }
}

export const DATA_FILE = 'data.mdb';
const MOST_NAMED = 5;

/** The damage in words. */
export const damageText = ({ problem, table, key }: Damage): string =>
  table === undefined ? problem : `the record of ${key} in ${table} ${problem}`;

/** A file without pages comes from a crash before the first write, or was truncated. */
const requireContent = (file: string, folder: string, isNew: boolean): boolean => {
  const hasContent = existsSync(file) && statSync(file).size > 0;
  if (hasContent || isNew) return hasContent;
  throw new StorageError(
    'broken',
    `${folder} holds the marker of a store, but ${file} is ${existsSync(file) ? 'empty' : 'missing'}: restore a backup with "perigee restore", or remove ${folder} to begin anew with nothing`,
  );
};

/** Content of an undamaged file. */
export interface FileContent {
  readonly format: Format;
  readonly revision: number;
  readonly records: readonly StoredRecord[];
}

/**
 * Reads a file; refuses one that is not as it was written, on which LMDB would end the process or show
 * something else. Undefined when nothing was ever stored.
 */
export const readSoundFile = (folder: string, isNew: boolean): FileContent | undefined => {
  const file = join(folder, DATA_FILE);
  if (!requireContent(file, folder, isNew)) return undefined;
  // All of them come at once, so that what later writes replace can never waste more than that.
  const copier = new SlabCopier();
  const records: StoredRecord[] = [];
  const { format, revision, damages } = inspectFile(file, (record) => {
    const { bytes } = record;
    records.push({ ...record, bytes: copier.copy(bytes, 0, bytes.length) });
  });
  if (damages.length === 0) return { format, revision, records };
  const damageList = damages.slice(0, MOST_NAMED).map(damageText).join('; ');
  const more = damages.length > MOST_NAMED ? `; and ${damages.length - MOST_NAMED} more` : '';
  throw new StorageError(
    'broken',
    `${file} is damaged: ${damageList}${more}; restore a backup with "perigee restore", or see with "perigee up --repair" what can be saved`,
  );
};
