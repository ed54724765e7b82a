import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const PROGRAM = join(import.meta.dirname, 'server-program.ts');

/** A server in a process of its own. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  /** Ends it at once, as a power failure would, and resolves when it is gone. */
  kill(): Promise<void>;
}

export const startServerProcess = async (dataFolder: string): Promise<ServerProcess> => {
  const child = fork(PROGRAM, [dataFolder]);
  const exit = once(child, 'exit');
  const url = await Promise.race([
    once(child, 'message').then(([message]) => String(message)),
    exit.then(([code, signal]) => {
      throw new Error(`the server ended with ${code ?? signal} before it was ready`);
    }),
  ]);
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exit;
  };
  return { url, kill, [Symbol.asyncDispose]: kill };
};
