import { lchown, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes a folder, with all that is in it, that of a user. Nobody may change it meanwhile. */
export const give = async (path: string, user: number): Promise<void> => {
  // Links are not followed.
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) await give(inner, user);
    else await lchown(inner, user, user);
  }
  // At last, so that who looks at the top alone sees whether all is done.
  await lchown(path, user, user);
};
