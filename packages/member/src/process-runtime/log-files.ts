import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^([0-9a-f]+)\.(\d+)\.log$/;

/** A file of a log, by number; numbers increase. */
export const logFile = (folder: string, id: string, number: number): string =>
  join(folder, `${id}.${number}.log`);

/** Numbers of the existing files of a log, ascending. */
export const logNumbers = async (folder: string, id: string): Promise<readonly number[]> => {
  const names = await readdir(folder).catch(() => []);
  return names
    .flatMap((name) => {
      const [, of, number] = NAME.exec(name) ?? [];
      return of === id ? [Number(number)] : [];
    })
    .sort((a, b) => a - b);
};

export const removeLog = async (folder: string, id: string): Promise<void> => {
  for (const number of await logNumbers(folder, id)) {
    await rm(logFile(folder, id, number), { force: true });
  }
};
