import { once } from 'node:events';
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  constants as http2,
} from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Server, TLSSocket } from 'node:tls';
import type { Client } from '../../src/client/client.ts';
import { ApiError } from '../../src/errors.ts';
import type { KeyPair } from '../../src/pki/certificate-authority.ts';
import { type Authority, createAuthority } from './certificates.ts';
import { type DiscoverySupport, discoveryAnswer } from './tls-api-server-discovery.ts';
import { FaultScript, type SeenRequest } from './tls-api-server-faults.ts';
import { answer, targetOf, watchOf } from './tls-api-server-routes.ts';
import { type AnswerStream, sendWatch } from './tls-api-server-watch.ts';

export interface TlsApiServerOptions {
  /** Client of the cluster behind the server. */
  readonly client: Client;
  /** A path before everything, such as `/clusters/member1`. */
  readonly prefix?: string;
  readonly authority?: Authority;
  /** The serving certificate; by default, a valid one for localhost. */
  readonly certificate?: KeyPair;
  readonly clientCertificates?: 'ignored' | 'asked' | 'required';
  readonly discovery?: DiscoverySupport;
  /** The greatest number of streams per HTTP/2 connection; 0 means HTTP/1.1 only. */
  readonly streams?: number;
}

const readBody = async (request: Http2ServerRequest): Promise<string> => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  return body;
};

/** A real server on a loopback port that speaks HTTP/2 and HTTP/1.1 and breaks on demand. */
export class TlsApiServer implements AsyncDisposable {
  readonly faults = new FaultScript();
  /** Every request, in order of arrival. */
  readonly requests: SeenRequest[] = [];
  readonly ca: string;
  /** Number of connections since the start. */
  connectionsMade = 0;
  /** Number of watch events that were given to the network; a slow reader holds back the rest. */
  eventsSent = 0;
  readonly #options: TlsApiServerOptions;
  readonly #server: Server;
  readonly #sockets = new Set<TLSSocket>();
  readonly #answers = new Set<AbortController>();
  #port = 0;

  private constructor(options: TlsApiServerOptions) {
    const { clientCertificates = 'ignored', streams = 100 } = options;
    const authority = options.authority ?? createAuthority();
    const certificate =
      options.certificate ??
      authority.issue({ commonName: 'server', usage: 'server', names: ['localhost', '127.0.0.1'] });
    this.#options = options;
    this.ca = authority.cert;
    const tls = {
      cert: certificate.cert,
      key: certificate.key,
      ca: [authority.cert],
      requestCert: clientCertificates !== 'ignored',
      rejectUnauthorized: clientCertificates === 'required',
    };
    this.#server =
      streams === 0
        ? createServer(tls)
        : createSecureServer({
            ...tls,
            allowHTTP1: true,
            settings: { maxConcurrentStreams: streams },
          });
    this.#server.on('secureConnection', (socket: TLSSocket) => {
      this.connectionsMade += 1;
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('request', (request, response) => void this.#serve(request, response));
    this.#server.on('sessionError', () => {});
  }

  static async start(options: TlsApiServerOptions): Promise<TlsApiServer> {
    const server = new TlsApiServer(options);
    await server.acceptConnections();
    return server;
  }

  get url(): string {
    return `https://127.0.0.1:${this.#port}${this.#options.prefix ?? ''}`;
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  /** Number of requests without a complete answer; open watches are among them. */
  get openRequests(): number {
    return this.#answers.size;
  }

  /** Breaks every connection at once, as a crash of the server does. */
  resetConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Stops listening: new connections are refused. Resolves when no old one is left. */
  async refuseConnections(): Promise<void> {
    const close = once(this.#server, 'close');
    this.#server.close();
    this.resetConnections();
    await close;
  }

  /** Listens, on the same port as before. */
  async acceptConnections(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.refuseConnections();
  }

  async #serve(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    const abort = new AbortController();
    this.#answers.add(abort);
    response.once('close', () => {
      this.#answers.delete(abort);
      abort.abort();
    });
    const reset = () => {
      if (request.httpVersionMajor === 2) request.stream.close(http2.NGHTTP2_INTERNAL_ERROR);
      else request.socket.destroy();
    };
    try {
      const onEvent = () => {
        this.eventsSent += 1;
      };
      await this.#answer(request, { response, reset, onEvent, signal: abort.signal });
    } catch (error) {
      if (abort.signal.aborted) return;
      if (!(error instanceof ApiError) || response.headersSent) return reset();
      const { retryAfterSeconds } = error.status.details ?? {};
      response.writeHead(error.code, {
        'content-type': 'application/json',
        ...(retryAfterSeconds ? { 'retry-after': String(retryAfterSeconds) } : {}),
      });
      response.end(JSON.stringify(error.status));
    }
  }

  async #answer(request: Http2ServerRequest, stream: AnswerStream): Promise<void> {
    const { client, discovery = 'v2', prefix = '' } = this.#options;
    const { response, signal } = stream;
    const recorded = await this.#see(request);
    this.requests.push(recorded);
    const fault = this.faults.take(recorded);
    if (fault?.type === 'reset') return stream.reset();
    if (fault?.type === 'delay') await fault.until;
    if (fault?.type === 'answer') {
      const { body = '' } = fault;
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const type = typeof body === 'string' ? 'text/plain' : 'application/json';
      response.writeHead(fault.code, { 'content-type': type, ...fault.headers });
      response.end(text);
      return;
    }
    const path = request.url.split('?')[0] ?? '';
    if (!path.startsWith(prefix))
      throw new ApiError({ code: 404, message: 'not under the prefix' });
    if (recorded.path === '/version') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(await client.version({ signal })));
      return;
    }
    const resources = await client.discover({ signal });
    const discovered = discoveryAnswer(recorded, resources, discovery);
    if (discovered) {
      response.writeHead(200, { 'content-type': discovered.contentType });
      response.end(JSON.stringify(discovered.body));
      return;
    }
    const target = targetOf(recorded.path, resources);
    const events = watchOf(client, recorded, target, signal);
    if (events) return sendWatch(events, stream, fault?.type === 'watch' ? fault : undefined);
    const { code, body } = await answer(client, recorded, target, signal);
    const text = JSON.stringify(body);
    response.writeHead(code, { 'content-type': 'application/json' });
    if (fault?.type === 'stall' || fault?.type === 'reset-mid-answer') {
      response.write(
        text.slice(0, text.length / 2),
        fault.type === 'stall' ? undefined : stream.reset,
      );
    } else {
      response.end(text);
    }
  }

  async #see(request: Http2ServerRequest): Promise<SeenRequest> {
    const { prefix = '' } = this.#options;
    const url = new URL(request.url, 'https://server');
    const socket = (request.stream?.session?.socket ?? request.socket) as TLSSocket;
    const peer = socket.getPeerCertificate().subject?.CN;
    return {
      method: request.method,
      path: url.pathname.slice(prefix.length),
      query: url.searchParams,
      headers: request.headers,
      httpVersion: request.httpVersion,
      ...(typeof peer === 'string' ? { peer } : {}),
      body: await readBody(request),
    };
  }
}
