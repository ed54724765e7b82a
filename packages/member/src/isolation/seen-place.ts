import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { isAtOrBelow, SYSTEM } from './sandbox-layout.ts';

/** A place in the file system of the sandbox. */
export interface SeenPlace {
  /** With links of the system resolved. */
  readonly path: string;
  /** The system folder that lacks this place. */
  readonly tree?: string;
}

const kindOf = (path: string) => lstatSync(path, { throwIfNoEntry: false });

/** Some systems have `/bin` and the like as links. */
const withoutFirstLink = (path: string): string => {
  const linked = SYSTEM.find(
    (folder) => isAtOrBelow(path, folder) && kindOf(folder)?.isSymbolicLink(),
  );
  return linked === undefined ? path : resolve('/', readlinkSync(linked), relative(linked, path));
};

const treeOf = (path: string): string | undefined =>
  SYSTEM.find((folder) => isAtOrBelow(path, folder) && kindOf(folder)?.isDirectory());

/**
 * Resolves a mount path of a pod. Links of the system are followed here, once: pods cannot change them. Other paths are
 * created for the sandbox, and contain no links.
 */
export const seenPlace = (mountPath: string, isFolder: boolean): SeenPlace => {
  const path = withoutFirstLink(mountPath);
  const top = treeOf(path);
  if (top === undefined || top === path) return { path };
  let existingPath = path;
  while (kindOf(existingPath) === undefined) existingPath = dirname(existingPath);
  const real = join(realpathSync(existingPath), relative(existingPath, path));
  const tree = treeOf(real);
  if (tree === undefined) throw new Error(`${mountPath} leads out of the system folders by a link`);
  if (kindOf(real) === undefined) return { path: real, tree };
  if (statSync(real).isDirectory() === isFolder) return { path: real };
  throw new Error(`${mountPath} is ${isFolder ? 'a file' : 'a folder'} of this machine`);
};
