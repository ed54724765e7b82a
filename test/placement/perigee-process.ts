import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const main = new URL('../../packages/cli/src/main.ts', import.meta.url).pathname;

/** A `perigee` command that goes on running, until it is disposed. */
export interface PerigeeProcess extends AsyncDisposable {
  readonly pid: number;
  /** Resolves when it says that it is there; rejects with all that it said when it ends before. */
  readonly ready: Promise<void>;
  /** All that it has said so far. */
  said(): string;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
}

const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
};

/** Runs a command, which says on either of its outputs that it is there. */
const spawnPerigee = (
  args: readonly string[],
  there: string,
  env: NodeJS.ProcessEnv = {},
): PerigeeProcess => {
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let said = '';
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  const hear = (text: string): void => {
    said += text;
    if (said.includes(there)) resolve();
  };
  child.stdout.setEncoding('utf8').on('data', hear);
  child.stderr.setEncoding('utf8').on('data', hear);
  child.once('exit', (code) =>
    reject(new Error(`perigee ${args.join(' ')} ended with ${code}:\n${said}`)),
  );
  // A test that kills the process does not wait until it is ready.
  ready.catch(() => {});
  return {
    pid: child.pid ?? 0,
    ready,
    said: () => said,
    kill: () => end(child, 'SIGKILL'),
    [Symbol.asyncDispose]: () => end(child, 'SIGTERM'),
  };
};

/** Runs a command, and waits until it is there. */
export const startPerigeeProcess = async (
  args: readonly string[],
  there: string,
  env?: NodeJS.ProcessEnv,
): Promise<PerigeeProcess> => {
  const perigee = spawnPerigee(args, there, env);
  await perigee.ready;
  return perigee;
};

const UP = 'Press Ctrl-C to stop.';

/** Runs `perigee up` on a folder. */
export const spawnUp = (data: string, ...args: readonly string[]): PerigeeProcess =>
  spawnPerigee(['up', '--data', data, ...args], UP);

/** The same, and waits until everything works. */
export const startUp = (data: string, ...args: readonly string[]): Promise<PerigeeProcess> =>
  startPerigeeProcess(['up', '--data', data, ...args], UP);

/** A folder that goes when it is disposed. */
export const openFolder = (): Disposable & { readonly path: string } => {
  const path = mkdtempSync(join(tmpdir(), 'perigee-test-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
};
