import { findProgram } from '../processes/find-program.ts';
import type { SpawnOrder } from '../processes/spawn.ts';

/** Order for the process that becomes the command. */
export interface EnterOrder
  extends Pick<SpawnOrder, 'command' | 'args' | 'env' | 'folder' | 'nice'> {
  /** A program that resets signal handlers; Node.js ignores some signals. */
  readonly resetSignals: readonly string[];
}

/** Written right before exec. Any other output is the error. */
export const STARTED = 'started';

/**
 * Replaces itself by the command of a pod, inside of its sandbox and without privileges. The environment of the pod is
 * set only here, so that no code with privileges is affected by it. Its source is evaluated in another Node.js process,
 * so it uses nothing of this module.
 */
const enterSandbox = (find: typeof findProgram, started: string): void => {
  const fs = process.getBuiltinModule('node:fs');
  const os = process.getBuiltinModule('node:os');
  const channel = 3;
  const end = 4;
  try {
    const order: EnterOrder = JSON.parse(fs.readFileSync(channel, 'utf8'));
    const { env, folder, args } = order;
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    process.chdir(folder);
    const file = find(order.command, env.PATH ?? '', folder);
    os.setPriority(Math.max(order.nice, os.getPriority()));
    fs.writeSync(channel, `${started}\n`);
    fs.closeSync(channel);
    fs.writeSync(end, `${started}\n`);
    fs.closeSync(end);
    // `env` would take a name with this sign for a variable.
    const reset = file.includes('=') ? [] : order.resetSignals;
    const words = [...reset, file, ...args];
    process.execve?.(words[0] ?? file, words, { ...env });
  } catch (error) {
    fs.writeSync(channel, `${error instanceof Error ? error.message : error}\n`);
  }
};

/** Arguments of the Node.js process that becomes the command. */
export const ENTER_ARGUMENTS: readonly string[] = [
  '--no-warnings',
  '--eval',
  `(${enterSandbox})(${findProgram}, ${JSON.stringify(STARTED)})`,
];
