import { realpath } from 'node:fs/promises';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { PodConfigError } from '../errors.ts';

/** A folder of this machine, and a path below it. */
export interface HostPlace {
  readonly from: string;
  readonly below: string;
}

export interface HostPathSource {
  readonly path: string;
  readonly type?: string;
}

const isInside = (relativePath: string): boolean =>
  relativePath !== '..' && !relativePath.startsWith(`..${sep}`);

/** The nearest existing ancestor with links resolved, and the rest of the path. */
const nearest = async (path: string): Promise<readonly [real: string, rest: string]> => {
  for (let existingPath = path; ; existingPath = dirname(existingPath)) {
    const real = await realpath(existingPath).catch(() => undefined);
    if (real !== undefined) return [real, relative(existingPath, path)];
  }
};

/** Resolves a hostPath, which must be below an allowed folder. */
export const allowedHostPath = async (
  { path, type }: HostPathSource,
  allowedFolders: readonly string[],
): Promise<HostPlace> => {
  const [real, rest] = await nearest(normalize(`/${path}`));
  const wantedPath = join(real, rest);
  for (const folder of allowedFolders) {
    const from = await realpath(folder).catch(() => undefined);
    const below = relative(from ?? '', wantedPath);
    if (from === undefined || !isInside(below)) continue;
    if (rest !== '' && type !== 'DirectoryOrCreate') {
      // Waiting would not be visible to the user of the pod: fail instead.
      throw new PodConfigError(`hostPath ${path} is not there`, { isLasting: true });
    }
    return { from, below };
  }
  const which = allowedFolders.length === 0 ? 'none' : allowedFolders.join(', ');
  throw new PodConfigError(
    `hostPath ${path} is in no folder that the operator of this member allows (--host-path; now ${which})`,
    { isLasting: true },
  );
};
