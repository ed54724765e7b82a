import { findProgram } from '../process-runtime/find-program.ts';
import type { SpawnOrder } from '../process-runtime/spawn.ts';

/** What is told to the process that becomes the command. */
export interface EnterOrder
  extends Pick<SpawnOrder, 'command' | 'args' | 'env' | 'folder' | 'nice'> {
  /** A program that gives signals their usual meaning again; Node.js ignores some of them. */
  readonly resetSignals: readonly string[];
}

/** Said when the command is about to begin. Everything else is why it cannot. */
export const STARTED = 'started';

/**
 * Becomes the command of a pod, inside of its sandbox and without privileges. Only here does the environment
 * of the pod take effect: whatever ran before with privileges must not be told by it what to load. Its text is
 * run by another Node.js, so it uses nothing of this module.
 */
const enterSandbox = (find: typeof findProgram, started: string): void => {
  const fs = process.getBuiltinModule('node:fs');
  const os = process.getBuiltinModule('node:os');
  const channel = 3;
  try {
    const order: EnterOrder = JSON.parse(fs.readFileSync(channel, 'utf8'));
    const { env, folder, args } = order;
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    process.chdir(folder);
    const file = find(order.command, env.PATH ?? '', folder);
    os.setPriority(Math.max(order.nice, os.getPriority()));
    fs.writeSync(channel, `${started}\n`);
    fs.closeSync(channel);
    // A name with such a sign would be taken for a variable.
    const reset = file.includes('=') ? [] : order.resetSignals;
    const words = [...reset, file, ...args];
    process.execve?.(words[0] ?? file, words, { ...env });
  } catch (error) {
    fs.writeSync(channel, `${error instanceof Error ? error.message : error}\n`);
  }
};

/** What Node.js is started with to become the command. */
export const ENTER_ARGUMENTS: readonly string[] = [
  '--no-warnings',
  '--eval',
  `(${enterSandbox})(${findProgram}, ${JSON.stringify(STARTED)})`,
];
