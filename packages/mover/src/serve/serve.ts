import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { MoverClock } from '../clock.ts';
import { MoveError } from '../errors.ts';
import { answerRequest } from './answer-request.ts';
import { RateLimit } from './rate-limit.ts';
import type { ServeOrder } from './serve-order.ts';

export interface ServeOptions {
  readonly clock: MoverClock;
  /** Aborted to end it before all was copied. */
  readonly signal: AbortSignal;
  /** Called once others can connect. */
  readonly onListening: (port: number) => void;
  /** The rate that it is to have now, read from time to time. */
  readonly currentRate?: () => number | undefined;
}

/** Counts of a server, when it ends. */
export interface Served {
  readonly bytesSent: number;
  readonly refusedRequests: number;
}

const RATE_LOOK_MS = 2000;
/** A mover has up to 64 threads, each with 8 files under way, and keeps its connections until it ends. */
const CONNECTIONS_OF_A_MOVER = 512;

/** The number of the token that a request brings; tokens that are spent are no tokens. */
const puller = ({ headers }: IncomingMessage, tokens: readonly Buffer[]): number => {
  const [, token = ''] = /^Bearer ([\w-]{1,512})$/.exec(headers.authorization ?? '') ?? [];
  const digest = createHash('sha256').update(token).digest();
  return tokens.findIndex((one) => timingSafeEqual(one, digest));
};

/**
 * Serves trees to other movers until each of them has reported that it has all of them. Its certificate and tokens are
 * made for one transfer, and good for nothing when that is over.
 */
export const serve = async (order: ServeOrder, options: ServeOptions): Promise<Served> => {
  const { clock, signal, onListening, currentRate } = options;
  const tokens = order.tokens.map((hex) => Buffer.from(hex, 'hex'));
  const missingRoots = new Set(
    tokens.flatMap((_, at) => order.trees.map((__, tree) => `${at}/${tree}`)),
  );
  const rate = new RateLimit(clock, order.bytesPerSecond);
  const { promise: finished, resolve: finish, reject: fail } = Promise.withResolvers<void>();
  let bytesSent = 0;
  let refusedRequests = 0;
  const onBytes = (count: number): void => {
    bytesSent += count;
  };

  const refuse = (response: ServerResponse, status: number): void => {
    refusedRequests++;
    response.writeHead(status, { connection: 'close', 'content-length': '0' });
    response.end();
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const from = puller(request, tokens);
    const isKnown = from >= 0 && order.trees.some((_, at) => missingRoots.has(`${from}/${at}`));
    if (!isKnown) return refuse(response, 401);
    const { pathname } = new URL(request.url ?? '', 'https://peer');
    const [, number, what = ''] = /^\/(\d{1,2})(?:\/([a-z]+))?$/.exec(pathname) ?? [];
    const tree = number === undefined ? undefined : order.trees[Number(number)];
    if (tree === undefined) return refuse(response, 404);
    if (!missingRoots.has(`${from}/${number}`)) return refuse(response, 401);
    if (request.method === 'DELETE' && what === '') {
      missingRoots.delete(`${from}/${number}`);
      response.writeHead(204);
      response.end(() => missingRoots.size === 0 && finish());
      return;
    }
    if (request.method !== 'GET') return refuse(response, 405);
    await answerRequest(request, response, tree, what, { rate, clock, onBytes });
  };

  const server = createServer(
    {
      key: readFileSync(order.keyFile),
      cert: readFileSync(order.certificateFile),
      minVersion: 'TLSv1.3',
    },
    (request, response) => {
      answer(request, response).catch((error: NodeJS.ErrnoException) => {
        // One file that cannot be read does not end it for the others.
        if (response.headersSent) response.destroy();
        else refuse(response, error.code === 'EACCES' || error.code === 'EPERM' ? 403 : 500);
      });
    },
  );
  server.maxConnections = tokens.length * CONNECTIONS_OF_A_MOVER;
  const stop = (): void => fail(new MoveError('Cancelled', 'it was stopped'));
  signal.addEventListener('abort', stop, { once: true });
  server.on('error', fail);
  using _ = clock.every(RATE_LOOK_MS, () => {
    if (currentRate !== undefined) rate.bytesPerSecond = currentRate();
  });
  try {
    // All addresses, also on machines that have no IPv6.
    if (order.host === '::') server.listen(order.port);
    else server.listen(order.port, order.host);
    await Promise.race([once(server, 'listening'), finished]);
    onListening((server.address() as AddressInfo).port);
    if (signal.aborted) stop();
    await finished;
  } finally {
    signal.removeEventListener('abort', stop);
    server.close();
    server.closeAllConnections();
  }
  return { bytesSent, refusedRequests };
};
