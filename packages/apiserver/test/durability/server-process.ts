import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const PROGRAM = join(import.meta.dirname, 'server-program.ts');

/** A server in a process of its own. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Ends it at once, as a power failure would, and resolves when it is gone. */
  kill(): Promise<void>;
}

export interface ProcessLimits {
  /** Files may not grow beyond so many blocks of 512 bytes: the disk fails as a full one does. */
  readonly fileBlocks?: number;
  /** The user that the process runs as. */
  readonly uid?: number;
}

/** Starts a server; rejects with what it printed when it ends before it is ready. */
export const startServerProcess = async (
  dataFolder: string,
  { fileBlocks, uid }: ProcessLimits = {},
): Promise<ServerProcess> => {
  const limit = fileBlocks === undefined ? '' : `trap '' XFSZ; ulimit -S -f ${fileBlocks}; `;
  const child = spawn(
    'sh',
    ['-c', `${limit}exec "$0" "$@"`, process.execPath, PROGRAM, dataFolder],
    {
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
      ...(uid === undefined ? {} : { uid }),
    },
  );
  const exit = once(child, 'exit');
  const printed = text(child.stderr!);
  const url = await Promise.race([
    once(child, 'message').then(([message]) => String(message)),
    exit.then(async ([code, signal]) => {
      throw new Error(`the server ended with ${code ?? signal}: ${await printed}`);
    }),
  ]);
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exit;
  };
  return { url, pid: child.pid ?? 0, kill, [Symbol.asyncDispose]: kill };
};
