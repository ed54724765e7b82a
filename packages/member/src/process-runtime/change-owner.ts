import { lchown, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Changes the owner of a folder recursively. The tree must not change meanwhile. */
export const changeOwner = async (path: string, user: number): Promise<void> => {
  // Links are not followed.
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) await changeOwner(inner, user);
    else await lchown(inner, user, user);
  }
  // The top comes last, so that its owner shows that the rest is done.
  await lchown(path, user, user);
};
