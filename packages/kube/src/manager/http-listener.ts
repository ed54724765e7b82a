import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { listening } from '../listen/listening.ts';
import { createServer } from '../listen/node-http.ts';

export interface HttpAnswer {
  readonly status?: number;
  readonly contentType?: string;
  readonly body: string;
}

/** Handlers of GET requests, by path. */
export type HttpEndpoints = {
  readonly [path: string]: (query: URLSearchParams) => HttpAnswer;
};

export interface ListenOptions {
  /** Only this machine can reach it, unless another address is given. */
  readonly host?: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

const answerTo = (endpoints: HttpEndpoints, { method, url = '/' }: IncomingMessage): HttpAnswer => {
  const parsedUrl = URL.parse(url, 'http://localhost');
  const path = parsedUrl?.pathname ?? '';
  const endpoint = Object.hasOwn(endpoints, path) ? endpoints[path] : undefined;
  if (parsedUrl === null || endpoint === undefined) {
    return { status: 404, body: `try ${Object.keys(endpoints).join(', ')}\n` };
  }
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, body: 'only GET and HEAD\n' };
  return endpoint(parsedUrl.searchParams);
};

const send = (response: ServerResponse, answer: HttpAnswer): void => {
  const { status = 200, contentType = 'text/plain; charset=utf-8', body } = answer;
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  response.end(body);
};

/** A small HTTP server for probes and metrics, until it is disposed. */
export interface HttpListener extends AsyncDisposable {
  /** Its address, such as `http://127.0.0.1:8080`. */
  readonly url: string;
}

const urlOf = (server: Server): string => {
  const address = server.address();
  if (address === null || typeof address === 'string') return '';
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
};

export const openListener = async (
  endpoints: HttpEndpoints,
  { host = '127.0.0.1', port }: ListenOptions,
): Promise<HttpListener> => {
  const server = createServer((request, response) => send(response, answerTo(endpoints, request)));
  await listening(server, host, port);
  return {
    url: urlOf(server),
    [Symbol.asyncDispose]: async () => {
      const closing = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closing;
    },
  };
};
