import { execFile } from 'node:child_process';

const main = new URL('../src/main.ts', import.meta.url).pathname;

export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command as a user does, in a process of its own. */
export const perigee = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Result> =>
  new Promise((resolve) => {
    const options = { env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env } };
    execFile(process.execPath, [main, ...args], options, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });
