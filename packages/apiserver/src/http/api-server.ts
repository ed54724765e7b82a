import type { IncomingMessage, Server } from 'node:http';
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '@perigee/kube/clock/clock';
import { listening } from '@perigee/kube/listen/listening';
import { createServer } from '@perigee/kube/listen/node-http';
import { readAsStream } from '@perigee/kube/listen/read-as-stream';
import type { Metrics } from '@perigee/kube/observe/metrics';
import { present } from '@perigee/schema/present';
import { auditIdOf } from '../audit/audit-id.ts';
import { type AuditOptions, openAuditLog } from '../audit/audit-log.ts';
import { FlowControl } from '../flow/flow-control.ts';
import type { FlowLimits } from '../flow/flow-limits.ts';
import { isProbe } from '../health/probes.ts';
import { ServerMetrics } from '../metrics/server-metrics.ts';
import type { Request, Response } from '../request/request.ts';
import { serviceUnavailable } from '../status/server-refusals.ts';
import { wantsWebSocket } from '../websocket/handshake.ts';
import { answerable } from './answerable.ts';
import { handleExchange } from './api-handler.ts';
import { ConnectionTurns } from './connection-turns.ts';
import type { Exchange } from './exchange.ts';
import { handleProbe } from './handle-probe.ts';
import type { ServedApi } from './served-api.ts';
import { NamedContexts, type ServerTls, secureOptions, tlsOptions } from './server-tls.ts';

export interface ApiServerOptions {
  readonly clock: Clock;
  /** Only this machine can reach it, unless another address is given. */
  readonly host?: string;
  /** 0 lets the system choose. */
  readonly port?: number;
  /**
   * Certificate and key in PEM; without them the server speaks plain HTTP. With the certificate of an
   * authority, clients are asked for theirs.
   */
  readonly tls?: ServerTls;
  /** Grace period of requests under way after the server is stopped. */
  readonly graceMs?: number;
  /** Time limits for reading the head of a request, and all of it. */
  readonly patience?: { readonly headMs: number; readonly requestMs: number };
  /** Registry to which the server adds its own metrics. */
  readonly metrics?: Metrics;
  /** Limits on the load of its clients; those of kube-apiserver by default. */
  readonly limits?: Partial<FlowLimits>;
  /** Audit log; none by default. */
  readonly audit?: AuditOptions;
}

/** A server that listens, until it is disposed. */
export interface ApiServer extends AsyncDisposable {
  /** Its address, such as `https://127.0.0.1:6443`. */
  readonly url: string;
  /** Host and port alone. */
  readonly address: string;
  /** Host and port of that address. */
  readonly listens: { readonly host: string; readonly port: number };
  /** Starts to handle requests; earlier ones wait. */
  serve(api: ServedApi): void;
  /** Uses another certificate for new connections; open ones continue. */
  renewTls(tls: ServerTls): void;
}

const DEFAULT_GRACE_MS = 5000;
/** Go's clients keep idle connections for 90 s; the server must not close them first. */
const KEEP_ALIVE_MS = 120_000;
/** Headers as large as Go's servers take: a selector may name thousands of values. */
const LARGEST_HEAD_BYTES = 2 ** 20;
/** The limit of kube-apiserver for the head of a request, and twice its limit for a response. */
const PATIENCE = { headMs: 32_000, requestMs: 120_000 };
const CLIENT_GONE = new Error('the client is gone');

/** Time limits of Node's server; its check interval bounds their precision. */
const http1Settings = ({ headMs, requestMs }: typeof PATIENCE) => ({
  maxHeaderSize: LARGEST_HEAD_BYTES,
  headersTimeout: headMs,
  requestTimeout: requestMs,
  connectionsCheckingInterval: Math.min(headMs, requestMs) / 2,
  keepAliveTimeout: KEEP_ALIVE_MS,
  shouldUpgradeCallback: ({ method, headers }: IncomingMessage) =>
    method === 'GET' && wantsWebSocket(headers),
});

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

type Around = Pick<Exchange, 'closing' | 'metrics' | 'flow' | 'auditId' | 'audit' | 'upgrade'>;

const exchangeOf = (request: Request, response: Response, around: Around): Exchange => {
  const { url: target = '/', method = 'GET' } = request;
  let isGone = false;
  let goneController: AbortController | undefined;
  (around.upgrade?.socket ?? response).once('close', () => {
    isGone = true;
    goneController?.abort(CLIENT_GONE);
  });
  return {
    ...around,
    request,
    response,
    method,
    path: pathOf(target),
    query: queryOf(target),
    // Created on first use: most responses are sent at once.
    get signal() {
      if (goneController === undefined) {
        goneController = new AbortController();
        if (isGone) goneController.abort(CLIENT_GONE);
      }
      return goneController.signal;
    },
    warnings: [],
  };
};

/** Opens a listener. The API is given to it once its address, which is part of the API, is known. */
export const openApiServer = async (options: ApiServerOptions): Promise<ApiServer> => {
  const { clock, host = '127.0.0.1', port = 0, tls, graceMs = DEFAULT_GRACE_MS } = options;
  const closing = new AbortController();
  const ready = Promise.withResolvers<ServedApi>();
  const activeRequests = new Set<Promise<void>>();
  const sessions = new Set<ServerHttp2Session>();
  const upgradedSockets = new Set<Duplex>();
  const sockets = new Set<Socket>();
  const turns = new ConnectionTurns(closing.signal);
  const metrics = new ServerMetrics(clock, options.metrics);
  const flow = new FlowControl(clock, metrics.metrics, options.limits);
  const auditLog = options.audit && (await openAuditLog(options.audit, clock, metrics.metrics));
  let servedApi: ServedApi | undefined;
  const handle = async (exchange: Exchange): Promise<void> => {
    try {
      if (servedApi === undefined && isProbe(exchange.path))
        return await handleProbe(exchange, false);
      const api = servedApi ?? (await ready.promise);
      await handleExchange(api, exchange);
    } catch (error) {
      const { method, path } = exchange;
      servedApi?.logger?.error('a request was not answered', { method, path, error });
      exchange.response.destroy();
    }
  };
  const answer = (
    request: Request,
    response: Response,
    upgrade?: NonNullable<Exchange['upgrade']>,
  ): void => {
    const begin = async (): Promise<void> => {
      const auditId = auditIdOf(request, clock);
      const audit = auditLog?.begin(request, auditId);
      const around = {
        closing: closing.signal,
        metrics,
        flow,
        auditId,
        ...present({ audit, upgrade }),
      };
      await handle(exchangeOf(request, response, around));
      audit?.ends(response, upgrade !== undefined);
    };
    const work = ('stream' in request ? begin() : turns.take(request.socket, begin)).then(() => {
      activeRequests.delete(work);
    });
    activeRequests.add(work);
  };
  const settings = http1Settings(options.patience ?? PATIENCE);
  const contexts = tls && new NamedContexts(tls);
  const server: Server | Http2SecureServer =
    tls && contexts
      ? createSecureServer({ ...secureOptions(tls, contexts), ...settings }, (request, response) =>
          answer(request, response),
        )
      : createServer(settings, (request, response) => answer(request, response));
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    upgradedSockets.add(socket);
    socket.once('close', () => upgradedSockets.delete(socket));
    socket.on('error', () => socket.destroy());
    const upgrading = answerable(request, socket, head);
    if (upgrading === undefined) socket.destroy();
    else answer(...upgrading);
  });
  if ('setSecureContext' in server) readAsStream(server);
  // A server that speaks HTTP/2 does not close its connections of HTTP/1 by itself.
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (closing.signal.aborted) socket.destroy();
  });
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  await listening(server, host, port);
  const boundAddress = server.address();
  const boundPort =
    typeof boundAddress === 'object' && boundAddress !== null ? boundAddress.port : port;
  const address = `${host.includes(':') ? `[${host}]` : host}:${boundPort}`;
  return {
    url: `${tls ? 'https' : 'http'}://${address}`,
    address,
    listens: { host, port: boundPort },
    serve: (api) => {
      servedApi = api;
      ready.resolve(api);
    },
    renewTls: (renewed) => {
      if ('setSecureContext' in server) server.setSecureContext(tlsOptions(renewed));
      contexts?.renew(renewed);
    },
    [Symbol.asyncDispose]: async () => {
      const closePromise = new Promise<void>((resolve) => server.close(() => resolve()));
      closing.abort(new Error('the server is closing'));
      ready.promise.catch(() => {});
      ready.reject(serviceUnavailable('the server stopped before it served anything'));
      using _ = clock.timer(graceMs, () => {
        for (const session of sessions) session.destroy();
        for (const socket of sockets) socket.destroy();
      });
      await Promise.allSettled(activeRequests);
      for (const session of sessions) session.close();
      // All requests have been answered: what is left of HTTP/1 is idle.
      for (const socket of sockets) {
        const isHttp1 = !('alpnProtocol' in socket) || socket.alpnProtocol !== 'h2';
        if (isHttp1 && !upgradedSockets.has(socket)) socket.destroySoon();
      }
      await closePromise;
      flow[Symbol.dispose]();
      await auditLog?.[Symbol.asyncDispose]();
    },
  };
};
