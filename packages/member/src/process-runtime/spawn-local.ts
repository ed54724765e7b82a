import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import type { ProcessExit, Spawn } from './spawn.ts';

type Child = ChildProcessByStdio<null, Readable, Readable>;

const SIGNALLED = 128;

/** The groups that run, so that none outlives this process, however it ends. */
const groups = new Set<number>();

const killGroup = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal);
  } catch {
    // It is gone already.
  }
};

const killAll = (): void => {
  for (const pid of groups) killGroup(pid, 'SIGKILL');
};

const enter = (pid: number): void => {
  if (groups.size === 0) process.once('exit', killAll);
  groups.add(pid);
};

const leave = (pid: number): void => {
  groups.delete(pid);
  if (groups.size === 0) process.off('exit', killAll);
};

const exitOf = (code: number | null, name: NodeJS.Signals | null): ProcessExit => {
  const signal = name === null ? undefined : constants.signals[name];
  return signal === undefined ? { exitCode: code ?? 0 } : { exitCode: SIGNALLED + signal, signal };
};

const lowerPriority = (pid: number, nice: number): void => {
  try {
    setPriority(pid, nice);
  } catch {
    // It ended before.
  }
};

const started = async (child: Child): Promise<number> => {
  await once(child, 'spawn');
  return child.pid as number;
};

/** Starts a process of this machine, as this user, in a group of its own. */
export const spawnLocal: Spawn = async ({ command, args, env, folder, nice }) => {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = Promise.withResolvers<ProcessExit>();
  let isOver = false;
  child.once('exit', (code, signal) => {
    isOver = true;
    // At once, while the number of the group can be nobody else's.
    killGroup(child.pid as number, 'SIGKILL');
    leave(child.pid as number);
    exit.resolve(exitOf(code, signal));
  });
  const pid = await started(child);
  if (!isOver) enter(pid);
  lowerPriority(pid, nice);
  return {
    pid,
    stdout: child.stdout,
    stderr: child.stderr,
    exited: exit.promise,
    signal: (name) => {
      if (!isOver) killGroup(pid, name);
    },
    closeOutput: () => {
      child.stdout.destroy();
      child.stderr.destroy();
    },
  };
};
