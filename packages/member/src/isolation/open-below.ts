import { constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { normalize } from 'node:path';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
/** O_PATH: needs no read permission, and does not block on a pipe. Node.js has no name for it. */
const O_PATH = 0o10000000;
const ON_THE_WAY = O_PATH | O_DIRECTORY | O_NOFOLLOW;

export interface OpenBelowOptions {
  /** Creates missing folders, owned by that user. */
  readonly make?: { readonly user: number | undefined };
  /** Flags for the last component, O_PATH by default. Links are never followed. */
  readonly flags?: number;
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

const makeFolder = async (place: string, user: number | undefined): Promise<FileHandle> => {
  await mkdir(place, { mode: 0o755 }).catch((error) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  const folder = await open(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (user !== undefined) await folder.chown(user, user);
  return folder;
};

const PROBLEMS: { readonly [code: string]: string } = {
  ENOENT: 'is not there',
  ENOTDIR: 'goes through a link or a file; links are not followed',
  ELOOP: 'is a link; links are not followed',
  EACCES: 'may not be read by whoever runs this member',
};

const problemWith = (path: string, error: unknown): Error =>
  new Error(`"${path}" ${PROBLEMS[codeOf(error) ?? ''] ?? `cannot be opened: ${codeOf(error)}`}`, {
    cause: error,
  });

/**
 * Opens a path below a folder, on Linux. No link on the way is followed, even if one is created meanwhile: each folder
 * is opened relative to its open parent.
 */
export const openBelow = async (
  folder: string,
  path: string,
  { make, flags = O_PATH }: OpenBelowOptions = {},
): Promise<FileHandle> => {
  const names = normalize(`/${path}`).split('/').filter(Boolean);
  let current = await open(folder, ON_THE_WAY);
  try {
    for (const [at, name] of names.entries()) {
      const place = `/proc/self/fd/${current.fd}/${name}`;
      const how = at === names.length - 1 ? flags | O_NOFOLLOW : ON_THE_WAY;
      const next = await open(place, how).catch((error) => {
        if (make === undefined || codeOf(error) !== 'ENOENT') throw error;
        return makeFolder(place, make.user);
      });
      await current.close();
      current = next;
    }
    const stats = await current.stat();
    if (stats.isSymbolicLink()) throw Object.assign(new Error(), { code: 'ELOOP' });
    if (!stats.isDirectory() && !stats.isFile()) throw Object.assign(new Error(), { code: 'type' });
    return current;
  } catch (error) {
    await current.close();
    throw problemWith(path, error);
  }
};
