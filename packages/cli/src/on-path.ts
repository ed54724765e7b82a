import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CHECKOUT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The path of a program on PATH. */
export const onPath = (
  name: string,
  { PATH = '' }: NodeJS.ProcessEnv = process.env,
): string | undefined =>
  PATH.split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable);

/** The shell line that puts `perigee` on PATH; undefined if it is there. */
export const pathSetting = (
  env: NodeJS.ProcessEnv = process.env,
  folder: string = process.cwd(),
): string | undefined => {
  if (onPath('perigee', env) !== undefined) return undefined;
  return `export PATH="${folder === CHECKOUT ? '$PWD' : CHECKOUT}:$PATH"`;
};
