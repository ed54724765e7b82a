import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { StorageError } from '../errors.ts';
import { type Salvage, salvageFile } from './inspect-file.ts';
import { DATA_FILE } from './read-sound-file.ts';
import { openStoreFolder, syncPath } from './store-folder.ts';
import { StoreWriter } from './write-store.ts';

/** Report of a repair. */
export interface Repair {
  readonly salvage: Salvage;
  /** The copy of the damaged file; none unless something was dropped. */
  readonly copy?: string;
}

export interface RepairOptions {
  readonly path: string;
  /** Drops damaged records; otherwise they are only reported. */
  readonly drop: boolean;
  /** Suffix of the copy of the file, such as the time. */
  readonly suffix: string;
}

/** Copies a file so that it survives a crash; refuses to overwrite another copy. */
const copyOf = (file: string, suffix: string): string => {
  const copy = `${file}.damaged-${suffix}`;
  copyFileSync(file, copy, constants.COPYFILE_EXCL);
  chmodSync(copy, 0o600);
  syncPath(copy);
  return copy;
};

/** Puts a file with what could be saved in the place of the damaged one. */
const replaceFile = async (folder: string, file: string, salvage: Salvage): Promise<void> => {
  const draft = mkdtempSync(join(folder, 'repair-'));
  try {
    {
      await using writer = new StoreWriter(join(draft, 'store'));
      for (const record of salvage.records) await writer.add(record);
      await writer.finish(salvage.revision);
    }
    renameSync(join(draft, 'store', DATA_FILE), file);
    syncPath(folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
};

/** Checks a folder for damaged records, and drops them if `drop` is set. An undamaged folder is not changed. */
export const repairStore = async ({ path, drop, suffix }: RepairOptions): Promise<Repair> => {
  const folder = resolve(path);
  const file = join(folder, DATA_FILE);
  if (!existsSync(file) || statSync(file).size === 0) {
    throw new StorageError(
      'broken',
      `there is nothing to repair in ${folder}: ${file} is missing or empty; restore a backup with "perigee restore"`,
    );
  }
  using lockedFolder = openStoreFolder(folder);
  const salvage = salvageFile(file);
  if (!drop || salvage.damages.length === 0) return { salvage };
  const copy = copyOf(file, suffix);
  syncPath(folder);
  // The new file has the newest format, even if the damaged one had an older one.
  lockedFolder.mark();
  await replaceFile(folder, file, salvage);
  return { salvage, copy };
};
