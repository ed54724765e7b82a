import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { present } from '@perigee/schema/present';
import { BackupError } from '../errors.ts';
import { openSecretFolder } from '../pki/secret-files.ts';
import { syncPath } from '../store/store-folder.ts';
import { StoreWriter } from '../store/write-store.ts';
import type { BackupFile } from './backup-lines.ts';
import { type BackupReader, type BackupSummary, readBackup } from './read-backup.ts';

export interface RestoreOptions extends Pick<BackupReader, 'onProgress'> {
  /** The data folder that is to be; one that holds something is refused. */
  readonly folder: string;
  /** The expected checksum, as reported when the backup was taken. */
  readonly sha256?: string;
}

const refuseFilled = (folder: string): void => {
  try {
    if (readdirSync(folder).length === 0) return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  throw new BackupError(
    `${folder} holds something already: name a folder that is empty or not there`,
  );
};

/** Makes a data folder of a backup, all of it or nothing. */
export const restoreBackup = async (
  portions: AsyncIterable<Buffer>,
  { folder: requestedFolder, sha256, onProgress }: RestoreOptions,
): Promise<BackupSummary> => {
  const folder = resolve(requestedFolder);
  refuseFilled(folder);
  mkdirSync(dirname(folder), { recursive: true });
  const draft = mkdtempSync(`${folder}.restoring-`);
  try {
    const files: BackupFile[] = [];
    const summary = await (async () => {
      await using writer = new StoreWriter(draft);
      const read = await readBackup(portions, {
        onRecord: (record) => writer.add(record),
        onFile: (file) => void files.push(file),
        ...present({ onProgress }),
      });
      if (sha256 !== undefined && read.sha256 !== sha256) {
        throw new BackupError(`its checksum is ${read.sha256}, not the one that was asked for`);
      }
      await writer.finish(read.revision);
      return read;
    })();
    if (files.length > 0) {
      const keys = openSecretFolder(join(draft, 'pki'));
      for (const { file, content } of files) keys.write(file, content);
    }
    syncPath(draft);
    // Onto a folder that is still empty, or not there: else it fails.
    renameSync(draft, folder);
    syncPath(dirname(folder));
    return summary;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
};
