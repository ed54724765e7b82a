import { type FileHandle, open, rm } from 'node:fs/promises';
import { BACKUP_PATH } from '@perigee/apiserver/backup/backup-path';
import { type BackupSummary, readBackup } from '@perigee/apiserver/backup/read-backup';
import { BackupError } from '@perigee/apiserver/errors';
import type { ApiClient } from '@perigee/kube/client/api-client';
import { ApiError } from '@perigee/kube/errors';
import type { Command } from 'commander';
import { connect } from '../connect.ts';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { byteProgress, megabytes } from '../output/byte-progress.ts';
import { notify } from '../output/notify.ts';

const NOT_FOUND = 404;

/** Creates a file; fails if it exists. Only its owner may read it, as a backup contains Secrets. */
const newFile = async (file: string): Promise<FileHandle> => {
  try {
    return await open(file, 'wx', 0o600);
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw isThere
      ? new CommandError(EXIT.conflict, `${file} is there already; name another file`)
      : new CommandError(EXIT.failed, `${file} cannot be written: ${(error as Error).message}`);
  }
};

const openBackup = async ({ caller }: ApiClient): Promise<AsyncIterable<Buffer>> => {
  try {
    const accept = 'application/x-ndjson';
    return (await caller.open({ method: 'GET', path: BACKUP_PATH, accept })).body;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== NOT_FOUND) throw error;
    throw new CommandError(
      EXIT.notFound,
      `${caller.where} has no backups to give: only a control plane of "perigee up" has, and none of its members`,
    );
  }
};

/** Writes the stream to the file and yields it on, to be checked. */
async function* written(portions: AsyncIterable<Buffer>, file: FileHandle): AsyncGenerator<Buffer> {
  for await (const portion of portions) {
    await file.writeFile(portion);
    yield portion;
  }
}

const receive = async (client: ApiClient, file: FileHandle): Promise<BackupSummary> => {
  using progress = byteProgress('taking a backup');
  const portions = written(await openBackup(client), file);
  const summary = await readBackup(portions, { onProgress: progress.show });
  await file.sync();
  return summary;
};

/** Takes a backup of a running control plane. An incomplete file is deleted. */
export const runBackup = async (path: string, command: Command): Promise<void> => {
  await using client = await connect(command);
  const file = await newFile(path);
  try {
    const { revision, records, files, bytes, sha256 } = await receive(client, file);
    const keys = files === 0 ? 'no keys' : `${files} keys and certificates`;
    process.stdout.write(
      `${path}: ${records} objects at revision ${revision}, ${keys}, ${megabytes(bytes)}\nsha256: ${sha256}\n`,
    );
    notify(
      `${path} holds all Secrets${files === 0 ? '' : ' and keys'}: who reads it is administrator`,
    );
  } catch (error) {
    await rm(path, { force: true });
    throw error instanceof BackupError
      ? new CommandError(EXIT.failed, `the backup did not arrive whole: ${error.message}`)
      : error;
  } finally {
    await file.close();
  }
};
