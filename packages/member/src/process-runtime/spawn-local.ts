import { setPriority } from 'node:os';
import { present } from '@perigee/schema/present';
import { systemTool } from '../isolation/system-tools.ts';
import { findProgram } from '../processes/find-program.ts';
import { startGroup } from '../processes/process-group.ts';
import type { Spawn } from '../processes/spawn.ts';

const lowerPriority = (pid: number, nice: number): void => {
  try {
    setPriority(pid, nice);
  } catch {
    // The process has exited already.
  }
};

/** Starts a process of this machine, as the user of the pod if there is one, without further privileges. */
export const spawnLocal: Spawn = async ({ command, args, env, folder, nice, user }) => {
  const setpriv = systemTool('setpriv');
  const words =
    setpriv === undefined
      ? [command, ...args]
      : [setpriv, '--no-new-privs', '--', findProgram(command, env.PATH ?? '', folder), ...args];
  const [first = '', ...others] = words;
  const { running } = await startGroup(first, others, {
    cwd: folder,
    env: { ...env },
    // Dropping the user drops the groups of this process, too.
    ...present({ uid: user, gid: user }),
  });
  lowerPriority(running.pid, nice);
  return running;
};
