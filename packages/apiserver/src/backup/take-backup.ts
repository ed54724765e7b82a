import { createHash } from 'node:crypto';
import type { Clock } from '@perigee/kube/clock/clock';
import { formatTime } from '@perigee/schema/values/time';
import type { Pki } from '../pki/pki.ts';
import type { Store } from '../store/store.ts';
import { type BackupFile, jsonLine, recordLine } from './backup-lines.ts';

export interface BackupSource {
  readonly store: Store;
  readonly clock: Clock;
  /** Keys and certificates to include; none for a server without authentication. */
  readonly pki?: Pick<Pki, 'files'>;
}

/** About how much is made in one turn. */
const PORTION_BYTES = 2 ** 18;

/**
 * A complete backup of the server in lines, as a stream with backpressure. It has the state at the time of the
 * call, unaffected by later writes.
 */
export const takeBackup = ({ store, clock, pki }: BackupSource): AsyncIterable<Buffer> => {
  const { revision } = store;
  const tables = store.tables().map((table) => ({ table, entries: store.range(table).entries }));
  const files: readonly BackupFile[] = pki?.files() ?? [];
  const time = formatTime(clock.now());
  const records = tables.reduce((sum, { entries }) => sum + entries.length, 0);
  const hash = createHash('sha256');

  const lines = function* (): Generator<readonly Buffer[]> {
    yield [jsonLine({ backup: 'perigee', format: 1, revision, time })];
    for (const file of files) yield [jsonLine(file)];
    for (const { table, entries } of tables) {
      for (const { key, revision, bytes } of entries) {
        yield recordLine({ table, key, revision, bytes });
      }
    }
  };
  const portions = async function* (): AsyncGenerator<Buffer> {
    let parts: Buffer[] = [];
    let bytes = 0;
    const portion = (): Buffer => {
      const whole = Buffer.concat(parts);
      hash.update(whole);
      parts = [];
      bytes = 0;
      return whole;
    };
    for (const line of lines()) {
      for (const part of line) bytes += part.length;
      parts.push(...line);
      if (bytes < PORTION_BYTES) continue;
      yield portion();
      await clock.yield();
    }
    yield portion();
    yield jsonLine({ end: true, records, files: files.length, sha256: hash.digest('hex') });
  };
  return portions();
};
