import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ClusterConfig } from '@perigee/kube/client/cluster-config';
import { createHttpClient } from '@perigee/kube/client/http-client';
import type { Clock } from '@perigee/kube/clock/clock';
import { ending } from '@perigee/kube/listen/ending';
import { listening } from '@perigee/kube/listen/listening';
import { readAsStream } from '@perigee/kube/listen/read-as-stream';
import { TLS_SUITES } from '@perigee/kube/listen/tls-suites';
import type { Logger } from '@perigee/kube/observe/logger';
import type { KeyPair } from '@perigee/kube/pki/certificate-authority';
import { present } from '@perigee/schema/present';
import type { IdentifyCluster } from '../operations/same-cluster.ts';
import { createRestApi } from '../rest/rest-api.ts';
import { CallerCredentials } from './caller-credentials.ts';
import { authorizationOf, requestOf, sendReply } from './incoming.ts';

export interface RestServerOptions {
  /** The API server that stores the inventory. Its credentials are not used: callers bring their own. */
  readonly config: ClusterConfig;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'error'>;
  readonly tls: KeyPair;
  /** The loopback address by default. */
  readonly host?: string;
  /** 0 picks a free port. */
  readonly port?: number;
  /**
   * Reads the uid of a cluster, to refuse registering it twice; without it the control plane detects that
   * later.
   */
  readonly identify?: IdentifyCluster;
}

/** A running REST server; disposing it stops it. */
export interface RestServer extends AsyncDisposable {
  /** Such as `https://127.0.0.1:8443`. */
  readonly url: string;
}

/** A person waits, so failures are reported instead of retried for long. */
const RETRY = { attempts: 2, longestRetryAfterMs: 1_000 };
const CALLER_GONE = new Error('the caller is gone');

const addressOf = (server: ReturnType<typeof createServer>): string => {
  const { address, family, port } = server.address() as AddressInfo;
  return `https://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
};

/**
 * Serves the REST API in front of any API server. The bearer token of the caller is forwarded, so that API
 * server authenticates and authorises every request.
 */
export const openRestServer = async (options: RestServerOptions): Promise<RestServer> => {
  const { clock, logger, tls, host = '127.0.0.1', port = 0 } = options;
  await using stack = new AsyncDisposableStack();
  const restApi = createRestApi(present({ identify: options.identify }));
  const credentials = new CallerCredentials();
  const onWarning = (text: string): void => credentials.warn(text);
  const config = credentials.configFor(options.config);
  const client = stack.use(createHttpClient(config, { clock, retry: RETRY, onWarning }));
  const yieldTurn = () => clock.yield();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const callerGone = new AbortController();
    response.once('close', () => callerGone.abort(CALLER_GONE));
    const warnings: string[] = [];
    const warn = (text: string): void => void warnings.push(text);
    try {
      const authorization = authorizationOf(request);
      const call = { ...requestOf(request, callerGone.signal), client, yieldTurn };
      const reply = await credentials.as({ authorization, warn }, () => restApi.answer(call));
      const all = [...warnings, ...(reply.warnings ?? [])];
      sendReply(request, response, { ...reply, warnings: all });
    } catch (error) {
      if (callerGone.signal.aborted) return;
      const reply = restApi.refuse(error);
      const { method, url = '' } = request;
      // The query may contain secrets, so it is not logged.
      const [path] = url.split('?');
      if (reply.code >= 500) logger.error('a request failed', { error, method, path });
      sendReply(request, response, reply);
    }
  };
  const server = createServer({ ...TLS_SUITES, ...tls }, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      logger.error('a request was not answered', { error, method: request.method });
      response.destroy();
    });
  });
  stack.use(ending(server, clock));
  readAsStream(server);
  await listening(server, host, port);
  const url = addressOf(server);
  const open = stack.move();
  return { url, [Symbol.asyncDispose]: () => open.disposeAsync() };
};
