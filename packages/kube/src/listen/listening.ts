import type { Server } from 'node:net';
import { ConfigError } from '../errors.ts';

const ADVICE: { readonly [code: string]: string } = {
  EADDRINUSE:
    'another program listens there; stop that one, or choose another port (0 takes a free one)',
  EACCES: 'this user may not listen there; choose a port above 1023',
  EADDRNOTAVAIL: 'this machine does not have that address; choose 127.0.0.1 or one that it has',
};

/** Lets a server listen; the error of a failure has the cause and what to do about it. */
export const listening = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = ADVICE[cause.code ?? ''] ?? cause.message;
      reject(new ConfigError(`cannot listen on ${host}:${port}: ${why}`, { cause }));
    });
    server.listen(port, host, resolve);
  });
