import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pidsFolder } from './pod-folder.ts';
import { identityOf } from './process-identity.ts';

/** The variable by which all processes of a pod are known, also those that left its groups. */
export const POD_UID = 'PERIGEE_POD_UID';

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
};

const list = async (folder: string): Promise<readonly string[]> => {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
};

const contentOf = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return '';
  }
};

/** Kills the groups whose leader is, beyond doubt, the process that was noted. */
export const killNoted = async (podFolder: string): Promise<void> => {
  const pids = pidsFolder(podFolder);
  for (const name of await list(pids)) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid <= 1) continue;
    const noted = await contentOf(join(pids, name));
    if (noted !== '' && noted === identityOf(pid)) kill(-pid);
  }
};

/** Kills processes that were started with the mark of a pod, wherever they went. Linux alone tells. */
export const killMarked = async (uids: ReadonlySet<string>): Promise<void> => {
  if (process.platform !== 'linux' || uids.size === 0) return;
  for (const name of await list('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // Those of other users cannot be read.
    const environment = await contentOf(`/proc/${name}/environ`);
    const mark = environment.split('\0').find((entry) => entry.startsWith(`${POD_UID}=`));
    if (mark !== undefined && uids.has(mark.slice(POD_UID.length + 1))) kill(Number(name));
  }
};
