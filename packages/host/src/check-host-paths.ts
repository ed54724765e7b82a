import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { ConfigError } from '@perigee/kube/errors';

const realOrNone = (path: string): string | undefined => {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
};

const isIn = (path: string, folder: string): boolean => {
  const relativePath = relative(folder, path);
  return !isAbsolute(relativePath) && relativePath !== '..' && !relativePath.startsWith(`..${sep}`);
};

/**
 * Throws a `ConfigError` when a folder does not exist, or when mounting it would expose the private keys of
 * the server.
 */
export const checkHostPaths = (hostPaths: readonly string[], data: string | undefined): void => {
  const own = data === undefined ? undefined : (realOrNone(data) ?? resolve(data));
  for (const path of hostPaths) {
    const real = realOrNone(path);
    if (real === undefined || !statSync(real).isDirectory()) {
      throw new ConfigError(`host path ${path}: there is no such folder`);
    }
    if (own !== undefined && (isIn(own, real) || isIn(real, own))) {
      throw new ConfigError(
        `host path ${path}: the data of the control plane, with its keys, is in ${data}: choose another folder for one of them`,
      );
    }
  }
};
