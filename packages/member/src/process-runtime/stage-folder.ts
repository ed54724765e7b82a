import { chmod, lstat, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** Not below a temporary folder, which some systems clean up. */
const PLACE = '/var/lib/perigee';
const PREFIX = 'perigee-pods-';

const makeStage = async (): Promise<string> => {
  try {
    await mkdir(PLACE, { recursive: true, mode: 0o755 });
    return await mkdtemp(join(PLACE, PREFIX));
  } catch {
    return mkdtemp(join(tmpdir(), PREFIX));
  }
};

const removeLast = async (note: string): Promise<void> => {
  const last = await readFile(note, 'utf8').catch(() => '');
  if (!basename(last).startsWith(PREFIX)) return;
  const stats = await lstat(last).catch(() => undefined);
  if (stats?.isDirectory() && stats.uid === process.getuid?.()) {
    await rm(last, { recursive: true, force: true });
  }
};

/**
 * A folder for files of pods that run as other users, who cannot traverse to the folder of this process. It is removed
 * on disposal, or at the next start after a crash.
 */
export const openStage = async (
  folder: string,
): Promise<{ readonly path: string } & AsyncDisposable> => {
  const note = join(folder, 'stage');
  await removeLast(note);
  const path = await makeStage();
  await chmod(path, 0o711);
  await writeFile(note, path, { mode: 0o600 });
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      await rm(path, { recursive: true, force: true });
      await rm(note, { force: true });
    },
  };
};
