import type { ApiServer } from './api-server.ts';

/** An address that leads nowhere, and is the same in every process. */
const HOST = '127.0.0.1';
const PORT = 443;

/** Stands for the listener of a server that only its own process uses: nothing opens a port. */
export const noListener = (): ApiServer => ({
  url: `https://${HOST}:${PORT}`,
  address: `${HOST}:${PORT}`,
  listens: { host: HOST, port: PORT },
  serve: () => {},
  renewTls: () => {},
  [Symbol.asyncDispose]: async () => {},
});
