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

/** Where a program is that users call by its name alone. */
export const onPath = (
  name: string,
  { PATH = '' }: NodeJS.ProcessEnv = process.env,
): string | undefined =>
  PATH.split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable);

/** What to type so that a shell finds `perigee`; nothing where it does already. */
export const pathSetting = (
  env: NodeJS.ProcessEnv = process.env,
  folder: string = process.cwd(),
): string | undefined => {
  if (onPath('perigee', env) !== undefined) return undefined;
  return `export PATH="${folder === CHECKOUT ? '$PWD' : CHECKOUT}:$PATH"`;
};
