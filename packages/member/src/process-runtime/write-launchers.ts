import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { launcherText, type Program } from '../isolation/sandbox-layout.ts';
import type { NodeProgram } from './process-options.ts';

/** Writes the launchers of Perigee's programs for sandboxed processes. */
export const writeLaunchers = async (
  folder: string,
  programs: readonly NodeProgram[],
): Promise<readonly Program[]> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return Promise.all(
    programs.map(async ({ name, folder: files, module }) => {
      const launcher = join(folder, name);
      await writeFile(launcher, launcherText(name, module));
      await chmod(launcher, 0o755);
      return { name, launcher, folder: files };
    }),
  );
};
