import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pidsFolder } from './pod-folder.ts';
import { identityOf } from './process-identity.ts';

/** Variable that marks all processes of a pod, including those that left its groups. */
export const POD_UID = 'PERIGEE_POD_UID';

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has exited meanwhile.
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

/** Kills groups whose leader is still the recorded process. */
export const killNoted = async (podFolder: string): Promise<void> => {
  const pids = pidsFolder(podFolder);
  for (const name of await list(pids)) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid <= 1) continue;
    const note = await contentOf(join(pids, name));
    if (note !== '' && note === identityOf(pid)) kill(-pid);
  }
};

/** Kills processes by the variable that marks them, wherever they moved. Works on Linux only. */
export const killMarked = async (uids: ReadonlySet<string>): Promise<void> => {
  if (process.platform !== 'linux' || uids.size === 0) return;
  for (const name of await list('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // Processes of other users cannot be read.
    const environment = await contentOf(`/proc/${name}/environ`);
    const mark = environment.split('\0').find((entry) => entry.startsWith(`${POD_UID}=`));
    if (mark !== undefined && uids.has(mark.slice(POD_UID.length + 1))) kill(Number(name));
  }
};
