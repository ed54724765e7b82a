import { createHash, type Hash } from 'node:crypto';
import { BackupError } from '../errors.ts';
import type { StoredRecord } from '../store/journal.ts';
import { type BackupEnd, type BackupFile, type BackupHead, parseLine } from './backup-lines.ts';

/** Receives the content of a backup line by line. Only its end shows that it is complete. */
export interface BackupReader {
  readonly onHead?: (head: BackupHead) => void | Promise<void>;
  readonly onRecord?: (record: StoredRecord) => void | Promise<void>;
  readonly onFile?: (file: BackupFile) => void;
  /** Called with the number of bytes that are read so far. */
  readonly onProgress?: (bytes: number) => void;
}

/** Summary of a complete backup. */
export interface BackupSummary extends BackupEnd {
  readonly revision: number;
  readonly time: string;
  readonly bytes: number;
}

/** An object has at most 1.5 MiB, and the names beside it little. */
const LONGEST_LINE = 4 * 2 ** 20;
const NEWLINE = 0x0a;
const TRUNCATED = 'its end is missing: it was cut off, or its taking was interrupted';

/** Splits chunks into lines, each with its bytes. */
async function* linesOf(portions: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const portion of portions) {
    const text = rest.length === 0 ? portion : Buffer.concat([rest, portion]);
    let start = 0;
    for (let end = text.indexOf(NEWLINE); end >= 0; end = text.indexOf(NEWLINE, start)) {
      yield text.subarray(start, end + 1);
      start = end + 1;
    }
    rest = Buffer.from(text.subarray(start));
    if (rest.length > LONGEST_LINE) throw new BackupError('a line of it is longer than any can be');
  }
  if (rest.length > 0) throw new BackupError(TRUNCATED);
}

class BackupCheck {
  readonly #reader: BackupReader;
  readonly #hash: Hash = createHash('sha256');
  #head: BackupHead | undefined;
  #end: BackupEnd | undefined;
  #lines = 0;
  #records = 0;
  #files = 0;
  #bytes = 0;

  constructor(reader: BackupReader) {
    this.#reader = reader;
  }

  async take(written: Buffer): Promise<void> {
    this.#lines++;
    this.#bytes += written.length;
    const line = parseLine(written.subarray(0, -1), this.#lines);
    const isFirst = this.#head === undefined;
    if (isFirst !== (line.type === 'head')) throw new BackupError('it does not begin as a backup');
    if (this.#end !== undefined) throw new BackupError('something stands behind its end');
    const { onHead, onRecord, onFile, onProgress } = this.#reader;
    if (line.type === 'end') this.#finish(line.end);
    this.#hash.update(written);
    if (line.type === 'head') {
      this.#head = line.head;
      await onHead?.(line.head);
    } else if (line.type === 'file') {
      this.#files++;
      onFile?.(line.file);
    } else if (line.type === 'record') {
      this.#records++;
      this.#requireKnown(line.record);
      await onRecord?.(line.record);
    }
    onProgress?.(this.#bytes);
  }

  summary(): BackupSummary {
    if (this.#head === undefined || this.#end === undefined) throw new BackupError(TRUNCATED);
    const { revision, time } = this.#head;
    return { ...this.#end, revision, time, bytes: this.#bytes };
  }

  #requireKnown({ table, key, revision }: StoredRecord): void {
    if (revision <= (this.#head?.revision ?? 0)) return;
    throw new BackupError(`the record of ${key} in ${table} is newer than the backup itself`);
  }

  #finish(end: BackupEnd): void {
    if (end.sha256 !== this.#hash.copy().digest('hex')) {
      throw new BackupError('it does not match its checksum: it was changed after it was taken');
    }
    if (end.records !== this.#records || end.files !== this.#files) {
      throw new BackupError('it holds another number of records than it says');
    }
    this.#end = end;
  }
}

/** Reads a backup to its end; throws a `BackupError` for what is no whole backup. */
export const readBackup = async (
  portions: AsyncIterable<Buffer>,
  reader: BackupReader = {},
): Promise<BackupSummary> => {
  const check = new BackupCheck(reader);
  for await (const line of linesOf(portions)) await check.take(line);
  return check.summary();
};
