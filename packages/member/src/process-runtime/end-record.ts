import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessExit } from '../processes/spawn.ts';
import type { PodFolder } from './pod-folder.ts';

/**
 * The file in which the sandbox of a container notes its exit code. It is not flushed: after a power cut, what the
 * container wrote may be lost as well, and it has to run again.
 */
export const endFileOf = ({ ends }: PodFolder, id: string): string => join(ends, id);

/** The recorded exit of a container; undefined if its command was not started, or was killed with its sandbox. */
export const recordedEnd = async (
  folder: PodFolder,
  id: string,
): Promise<ProcessExit | undefined> => {
  const text = await readFile(endFileOf(folder, id), 'utf8').catch(() => '');
  const [, code] = /^started\n(\d{1,3})\n$/.exec(text) ?? [];
  return code === undefined ? undefined : { exitCode: Number(code) };
};

export const forgetEnd = async (folder: PodFolder, id: string): Promise<void> => {
  for (const file of [endFileOf(folder, id), join(folder.messages, id)]) {
    await rm(file, { force: true });
  }
};
