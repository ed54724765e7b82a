import { mkdir, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { ProcessContainer } from '../processes/process-spec.ts';
import { isMounted } from './mount-path.ts';
import type { PodFolder } from './pod-folder.ts';

const isWithin = async (folder: string, path: string): Promise<boolean> => {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return isWithin(folder, dirname(path));
  const relativePath = relative(await realpath(folder), real);
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`);
};

const pathOf = ({ workingDir = '' }: ProcessContainer): string => resolve('/', `./${workingDir}`);

/** Working directory of a container's process, as it sees it. */
export const workingFolder = (folder: PodFolder, container: ProcessContainer): string => {
  const path = pathOf(container);
  return folder.isSandboxed && isMounted(container, path)
    ? path
    : resolve(folder.viewPath(folder.root), `.${path}`);
};

/**
 * Creates the working directory. A sandbox does that itself. Mounted folders of this machine are skipped: other users
 * may have put links into them.
 */
export const makeWorkingFolder = async (
  folder: PodFolder,
  container: ProcessContainer,
): Promise<void> => {
  if (folder.isSandboxed) return;
  const path = join(folder.root, pathOf(container));
  if (await isWithin(dirname(folder.root), path)) {
    await mkdir(path, { recursive: true, mode: 0o700 });
  }
};
