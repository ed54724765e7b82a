import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import { text } from 'node:stream/consumers';
import type { ClientCertificate, ClusterConfig } from './cluster-config.ts';
import { type TlsOptions, tlsOptions } from './tls-options.ts';
import type { Channel, Transport, TransportRequest, TransportResponse } from './transport.ts';

type Send = (options: RequestOptions, onAnswer: (answer: IncomingMessage) => void) => ClientRequest;

interface Protocol {
  readonly send: Send;
  readonly agent: Agent;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** Longer than the 60 seconds that an API server gives itself. */
const ANSWER_TIMEOUT_MS = 75_000;

const loadProtocol = async (protocol: string): Promise<Protocol> => {
  const { request, Agent } =
    protocol === 'https:' ? await import('node:https') : await import('node:http');
  return { send: request, agent: new Agent({ keepAlive: true }) };
};

const timedOut = (code: string): Error =>
  Object.assign(new Error('there is no answer in time'), { code });

/** An answer whose body cannot be used twice. */
const responseOf = (answer: IncomingMessage): TransportResponse => ({
  statusCode: answer.statusCode ?? 0,
  headers: answer.headers,
  body: {
    text: () => text(answer),
    dump: () => text(answer),
    [Symbol.asyncIterator]: () => answer[Symbol.asyncIterator](),
  },
});

/**
 * Connections for a process that asks a few questions and ends. It is made of what Node.js brings, which
 * loads in a fraction of the time that a whole HTTP library takes; all requests speak HTTP/1.1, and there
 * is nothing that finds dead peers but TCP.
 */
export class BriefTransport implements Transport {
  readonly #config: ClusterConfig;
  readonly #url: URL;
  readonly #protocol: Promise<Protocol>;
  #tls: { readonly certificate?: ClientCertificate; readonly options: TlsOptions } | undefined;

  constructor(config: ClusterConfig) {
    this.#config = config;
    this.#url = new URL(config.server);
    this.#protocol = loadProtocol(this.#url.protocol);
  }

  async send(
    channel: Channel,
    { body, signal, ...request }: TransportRequest,
    certificate: ClientCertificate | undefined,
  ): Promise<TransportResponse> {
    const { send, agent } = await this.#protocol;
    const options: RequestOptions = {
      ...request,
      // Node.js itself sends no length with the body of a DELETE.
      headers: { ...request.headers, 'content-length': Buffer.byteLength(body ?? '') },
      agent,
      host: this.#url.hostname.replace(/^\[|\]$/g, ''),
      port: this.#url.port,
      timeout: CONNECT_TIMEOUT_MS,
      ...(this.#url.protocol === 'https:' ? this.#tlsFor(certificate) : {}),
    };
    return new Promise((resolve, reject) => {
      const outgoing = send(options, (answer) => {
        if (channel === 'watches') outgoing.setTimeout(0);
        resolve(responseOf(answer));
      });
      let isConnected = false;
      outgoing.once('socket', (socket) => {
        const onConnected = (): void => {
          isConnected = true;
          outgoing.setTimeout(ANSWER_TIMEOUT_MS);
        };
        if (socket.connecting) socket.once('connect', onConnected);
        else onConnected();
      });
      outgoing.once('timeout', () => {
        outgoing.destroy(timedOut(isConnected ? 'UND_ERR_HEADERS_TIMEOUT' : 'ETIMEDOUT'));
      });
      // Not as an option: that would bind the connection to the signal, which other requests use later.
      const abort = (): void => {
        reject(signal?.reason);
        // Without the reason: a connection that is just being given back has nobody who takes an error.
        outgoing.destroy();
      };
      signal?.addEventListener('abort', abort, { once: true });
      outgoing.once('close', () => signal?.removeEventListener('abort', abort));
      outgoing.on('error', reject);
      if (signal?.aborted) abort();
      outgoing.end(body);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    (await this.#protocol).agent.destroy();
  }

  #tlsFor(certificate: ClientCertificate | undefined): TlsOptions {
    const { cert, key } = this.#tls?.certificate ?? {};
    if (this.#tls === undefined || cert !== certificate?.cert || key !== certificate?.key) {
      this.#tls = { certificate, options: tlsOptions(this.#config, certificate) };
    }
    return this.#tls.options;
  }
}
