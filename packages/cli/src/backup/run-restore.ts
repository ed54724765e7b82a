import { createReadStream, statSync } from 'node:fs';
import { restoreBackup } from '@perigee/apiserver/backup/restore-backup';
import { BackupError } from '@perigee/apiserver/errors';
import { present } from '@perigee/schema/present';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { byteProgress } from '../output/byte-progress.ts';

export interface RestoreCommandOptions {
  readonly data: string;
  readonly sha256?: string;
}

const requireFile = (file: string): void => {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile()) return;
  throw new CommandError(EXIT.notFound, `there is no backup ${file}`);
};

/** Restores a backup to a new data folder. */
export const runRestore = async (
  file: string,
  { data, sha256 }: RestoreCommandOptions,
): Promise<void> => {
  requireFile(file);
  try {
    using progress = byteProgress('restoring');
    const { records, time, files } = await restoreBackup(createReadStream(file), {
      folder: data,
      onProgress: progress.show,
      ...present({ sha256 }),
    });
    const keys = files === 0 ? '' : ` and ${files} keys and certificates`;
    process.stdout.write(
      `${data}: ${records} objects${keys}, as of ${time}\nStart it with: perigee up --data ${data}\n`,
    );
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    throw new CommandError(EXIT.invalid, `${file} was not restored: ${error.message}`);
  }
};
