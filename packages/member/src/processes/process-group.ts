import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import type { ProcessExit, RunningProcess } from './spawn.ts';

const SIGNALLED = 128;

/** Running groups, killed when this process exits, however it ends. */
const groups = new Set<number>();

const killGroup = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has exited already.
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

const pidOf = async (child: ChildProcess): Promise<number> => {
  await once(child, 'spawn');
  return child.pid as number;
};

/** A process that leads its own group. */
export interface StartedGroup {
  readonly child: ChildProcess;
  readonly running: RunningProcess;
}

/** Starts a process in a group of its own. It inherits only the file descriptors in `stdio`. */
export const startGroup = async (
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<StartedGroup> => {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
    detached: true,
  });
  // Node.js discards the output of a child that exits before anybody listens.
  for (const output of [child.stdout, child.stderr]) output?.on('readable', () => {});
  const exit = Promise.withResolvers<ProcessExit>();
  let isOver = false;
  child.once('exit', (code, signal) => {
    isOver = true;
    // Immediately, before the group id can be reused.
    killGroup(child.pid as number, 'SIGKILL');
    leave(child.pid as number);
    exit.resolve(exitOf(code, signal));
  });
  const pid = await pidOf(child);
  if (!isOver) enter(pid);
  const stdout = child.stdout as Readable;
  const stderr = child.stderr as Readable;
  const running: RunningProcess = {
    pid,
    stdout,
    stderr,
    exited: exit.promise,
    signal: (name) => {
      if (!isOver) killGroup(pid, name);
    },
    closeOutput: () => {
      stdout.destroy();
      stderr.destroy();
    },
  };
  return { child, running };
};
