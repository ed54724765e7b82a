import { realpath } from 'node:fs/promises';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { PodConfigError } from '../errors.ts';

/** A folder of this machine, and what below it. */
export interface HostPlace {
  readonly from: string;
  readonly below: string;
}

export interface HostPathSource {
  readonly path: string;
  readonly type?: string;
}

const isInside = (way: string): boolean => way !== '..' && !way.startsWith(`..${sep}`);

/** The nearest folder above that there is, without links, and the way from there. */
const nearest = async (path: string): Promise<readonly [real: string, rest: string]> => {
  for (let known = path; ; known = dirname(known)) {
    const real = await realpath(known).catch(() => undefined);
    if (real !== undefined) return [real, relative(known, path)];
  }
};

/** Where a folder of this machine is that a pod wants. It must be in one of those that are allowed. */
export const allowedHostPath = async (
  { path, type }: HostPathSource,
  allowed: readonly string[],
): Promise<HostPlace> => {
  const [real, rest] = await nearest(normalize(`/${path}`));
  const wanted = join(real, rest);
  for (const folder of allowed) {
    const from = await realpath(folder).catch(() => undefined);
    const below = relative(from ?? '', wanted);
    if (from === undefined || !isInside(below)) continue;
    if (rest !== '' && type !== 'DirectoryOrCreate') {
      // Nobody who sees the pod can tell why it would wait.
      throw new PodConfigError(`hostPath ${path} is not there`, { isLasting: true });
    }
    return { from, below };
  }
  const which = allowed.length === 0 ? 'none' : allowed.join(', ');
  throw new PodConfigError(
    `hostPath ${path} is in no folder that the operator of this member allows (--host-path; now ${which})`,
    { isLasting: true },
  );
};
