import { createServer, type Server } from 'node:http';
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2';
import type { Clock } from '@perigee/kube/clock/clock';
import { ConfigError } from '@perigee/kube/errors';
import { handleExchange } from './api-handler.ts';
import type { Exchange, Request, Response } from './exchange.ts';
import type { ServedApi } from './served-api.ts';

export interface ApiServerOptions {
  readonly clock: Clock;
  /** Only this machine can reach it, unless another address is given. */
  readonly host?: string;
  /** 0 lets the system choose. */
  readonly port?: number;
  /** Certificate and key in PEM; without them the server speaks plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca?: string };
  /** How long requests under way may go on after the server was told to stop. */
  readonly graceMs?: number;
}

/** A server that listens, until it is disposed. */
export interface ApiServer extends AsyncDisposable {
  /** Where it can be reached, such as `https://127.0.0.1:6443`. */
  readonly url: string;
  /** Host and port alone. */
  readonly address: string;
  /** Begins to answer; what comes before waits. */
  serve(api: ServedApi): void;
}

const DEFAULT_GRACE_MS = 5000;
/** Go's clients keep a connection for 90 s; the server must not be the first to let go of it. */
const KEEP_ALIVE_MS = 120_000;
/** Headers as large as Go's servers take: a selector may name thousands of values. */
const HTTP1_SETTINGS = { maxHeaderSize: 2 ** 20, keepAliveTimeout: KEEP_ALIVE_MS };
const CLIENT_GONE = new Error('the client is gone');

/**
 * The path of a request, decoded but otherwise as it is: to resolve dots in it would turn the deletion
 * of something called `.` into the deletion of everything beside it.
 */
const pathOf = (target: string): string => {
  const path = target.replace(/[?#].*$/s, '').replace(/^https?:\/\/[^/]*/, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

const queryOf = (target: string): URLSearchParams => {
  const at = target.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : target.slice(at + 1));
};

const exchangeOf = (request: Request, response: Response, closing: AbortSignal): Exchange => {
  const { url: target = '/', method = 'GET' } = request;
  let isGone = false;
  let gone: AbortController | undefined;
  response.once('close', () => {
    isGone = true;
    gone?.abort(CLIENT_GONE);
  });
  return {
    request,
    response,
    method,
    path: pathOf(target),
    query: queryOf(target),
    // Made for those who ask: most answers are sent at once.
    get signal() {
      if (gone === undefined) {
        gone = new AbortController();
        if (isGone) gone.abort(CLIENT_GONE);
      }
      return gone.signal;
    },
    closing,
    warnings: [],
  };
};

/** Opens a listener. The API is given to it once its address, which is part of the API, is known. */
export const openApiServer = async (options: ApiServerOptions): Promise<ApiServer> => {
  const { clock, host = '127.0.0.1', port = 0, tls, graceMs = DEFAULT_GRACE_MS } = options;
  const closing = new AbortController();
  const ready = Promise.withResolvers<ServedApi>();
  const running = new Set<Promise<void>>();
  const sessions = new Set<ServerHttp2Session>();
  const handle = async (request: Request, response: Response): Promise<void> => {
    try {
      const api = await ready.promise;
      await handleExchange(api, exchangeOf(request, response, closing.signal));
    } catch {
      response.destroy();
    }
  };
  const answer = (request: Request, response: Response): void => {
    const work = handle(request, response).then(() => void running.delete(work));
    running.add(work);
  };
  const server: Server | Http2SecureServer = tls
    ? createSecureServer({ ...tls, ...HTTP1_SETTINGS, allowHTTP1: true }, answer)
    : createServer(HTTP1_SETTINGS, answer);
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new ConfigError(`cannot listen on ${host}:${port}: ${cause.message}`, { cause }));
    });
    server.listen(port, host, resolve);
  });
  const bound = server.address();
  const boundPort = typeof bound === 'object' && bound !== null ? bound.port : port;
  const address = `${host.includes(':') ? `[${host}]` : host}:${boundPort}`;
  return {
    url: `${tls ? 'https' : 'http'}://${address}`,
    address,
    serve: (api) => ready.resolve(api),
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      closing.abort(new Error('the server is closing'));
      using _ = clock.timer(graceMs, () => {
        for (const session of sessions) session.destroy();
        if ('closeAllConnections' in server) server.closeAllConnections();
      });
      await Promise.allSettled(running);
      for (const session of sessions) session.close();
      if ('closeIdleConnections' in server) server.closeIdleConnections();
      await closed;
    },
  };
};
