import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';

/** rclone, if it is here: named by PERIGEE_RCLONE, as `.ci/run` does, or on the PATH. */
export const findRclone = (): string | undefined =>
  [
    process.env.PERIGEE_RCLONE ?? '',
    ...(process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'rclone')),
  ].find((program) => program !== '' && existsSync(program));

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

/** Runs one of its servers until it is disposed; gives its address. */
export const serveByRclone = async (
  program: string,
  protocol: string,
  args: readonly string[],
): Promise<{ readonly address: string } & AsyncDisposable> => {
  const address = `127.0.0.1:${await freePort()}`;
  const all = ['serve', protocol, '--addr', address, '--config', '/dev/null', ...args];
  const child = spawn(program, all, { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let serverCode = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`rclone serve ${protocol} ended: ${serverCode}`)));
    child.stderr.on('data', (text) => {
      serverCode += text;
      if (/tarting|started/.test(serverCode)) resolve();
    });
  });
  return {
    address,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await exited;
    },
  };
};
