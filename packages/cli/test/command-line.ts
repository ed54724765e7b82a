import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '@perigee/apiserver/embedded/embedded-server';
import { realClock } from '@perigee/kube/clock/real-clock';

export const main = new URL('../src/main.ts', import.meta.url).pathname;

export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string;
}

/** Runs the command in a child process, as a user would. */
export const perigee = (
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  { input = '' }: RunOptions = {},
): Promise<Result> =>
  new Promise((resolve) => {
    const options = { env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env } };
    const child = execFile(process.execPath, [main, ...args], options, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
    child.stdin?.end(input);
  });

/** The command as somebody else, by a kubeconfig beside that of the administrator. */
export const perigeeAs = (
  user: string,
  adminKubeconfig: string,
  args: readonly string[],
): Promise<Result> => {
  const kubeconfig = `${adminKubeconfig}-${user}`;
  const as = `$1as: ${user}\n$1$2:`;
  const admin = readFileSync(adminKubeconfig, 'utf8');
  writeFileSync(kubeconfig, admin.replace(/^(\s*)(client-certificate-data|token):/m, as));
  return perigee(args, { KUBECONFIG: kubeconfig });
};

/** A server for a test file, and the CLI connected to it. */
export interface Stage extends AsyncDisposable {
  readonly server: EmbeddedServer;
  /** A folder for files of the test, next to the kubeconfig. */
  readonly folder: string;
  readonly kubeconfig: string;
  run(args: readonly string[], options?: RunOptions): Promise<Result>;
}

export const openStage = async (): Promise<Stage> => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-cli-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const server = await startEmbeddedServer({
    clock: realClock,
    access: 'rbac',
    adminKubeconfig: kubeconfig,
  });
  return {
    server,
    folder,
    kubeconfig,
    run: (args, options) => perigee(args, { KUBECONFIG: kubeconfig }, options),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
