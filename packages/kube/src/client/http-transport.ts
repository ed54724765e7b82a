import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { buildConnector, Dispatcher, Pool } from 'undici';
import type { Clock } from '../clock/clock.ts';
import type { ClientCertificate, ClusterConfig } from './cluster-config.ts';
import { tlsOptions } from './tls-options.ts';
import type { Channel, Transport, TransportRequest, TransportResponse } from './transport.ts';

/**
 * Closes an HTTP/2 connection whose peer has gone without a word (a pulled cable, a lost NAT entry).
 * Pings go out all the time, so a live peer sends at least their answers; one that sends nothing at
 * all between two checks is dead. HTTP/1.1 has no pings, so there silence means nothing.
 */
const watchPeer = (socket: Socket, clock: Clock, deadAfterMs: number): void => {
  if (!(socket instanceof TLSSocket) || socket.alpnProtocol !== 'h2') return;
  if (!Number.isFinite(deadAfterMs)) return;
  let seenBytes = -1;
  let timer: Disposable | undefined;
  const check = (): void => {
    if (socket.bytesRead === seenBytes) {
      socket.destroy(new Error(`the peer has sent nothing for ${deadAfterMs} ms`));
      return;
    }
    seenBytes = socket.bytesRead;
    timer = clock.timer(deadAfterMs, check);
  };
  check();
  socket.once('close', () => timer?.[Symbol.dispose]());
};

export interface TransportOptions {
  readonly clock: Clock;
  readonly deadPeerAfterMs: number;
  /** An answer that is larger breaks off, so that no server can fill the memory; 256 MiB unless given. */
  readonly largestAnswerBytes?: number;
}

type Undici = typeof import('undici');

let undici: Promise<Undici> | undefined;

/** Loaded when it is first needed: a control plane whose clusters are all in its process sends nothing. */
const loadUndici = (): Promise<Undici> => {
  undici ??= import('undici');
  return undici;
};

interface Channels {
  readonly certificate: ClientCertificate | undefined;
  readonly requests: Dispatcher;
  readonly watches: Dispatcher;
}

const MOST_REQUEST_CONNECTIONS = 32;
const CONNECT_TIMEOUT_MS = 10_000;
/** Longer than the 60 seconds that an API server gives itself. */
const ANSWER_TIMEOUT_MS = 75_000;
const IDLE_TIMEOUT_MS = 30_000;
const LARGEST_ANSWER_BYTES = 256 * 1024 * 1024;
/** Number of unanswered pings after which a peer counts as dead. */
const PINGS_PER_VERDICT = 3;

/**
 * The connections to one server. Requests share a few HTTP/1.1 connections that stay open; watches
 * share HTTP/2 connections of their own, so that however many are open no request waits for a stream.
 */
export class HttpTransport implements Transport {
  readonly #config: ClusterConfig;
  readonly #origin: string;
  readonly #options: TransportOptions;
  readonly #dispatchers = new Set<Dispatcher>();
  #current: Channels | undefined;
  #closed = false;

  constructor(config: ClusterConfig, options: TransportOptions) {
    this.#config = config;
    this.#origin = new URL(config.server).origin;
    this.#options = options;
  }

  async send(
    channel: Channel,
    request: TransportRequest,
    certificate: ClientCertificate | undefined,
  ): Promise<TransportResponse> {
    const library = await loadUndici();
    if (this.#closed) throw new library.errors.ClientDestroyedError();
    const dispatcher = this.#channelsFor(library, certificate)[channel];
    return dispatcher.request({ ...request, origin: this.#origin });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#dispatchers].map((dispatcher) => dispatcher.destroy()));
    this.#dispatchers.clear();
  }

  #channelsFor(library: Undici, certificate: ClientCertificate | undefined): Channels {
    const current = this.#current;
    const present = current?.certificate;
    if (current && present?.cert === certificate?.cert && present?.key === certificate?.key) {
      return current;
    }
    this.#current = this.#open(library, certificate);
    for (const outdated of current ? [current.requests, current.watches] : []) {
      outdated.close(() => this.#dispatchers.delete(outdated));
    }
    return this.#current;
  }

  #open(library: Undici, certificate: ClientCertificate | undefined): Channels {
    const tls = tlsOptions(this.#config, certificate);
    const { deadPeerAfterMs, largestAnswerBytes = LARGEST_ANSWER_BYTES } = this.#options;
    const requests = this.#dispatcher(
      library,
      {
        allowH2: false,
        connections: MOST_REQUEST_CONNECTIONS,
        bodyTimeout: ANSWER_TIMEOUT_MS,
        maxResponseSize: largestAnswerBytes,
      },
      tls,
    );
    const watches = this.#dispatcher(
      library,
      {
        allowH2: true,
        bodyTimeout: 0,
        h2Options: {
          pingInterval: Number.isFinite(deadPeerAfterMs) ? deadPeerAfterMs / PINGS_PER_VERDICT : 0,
        },
      },
      tls,
    );
    this.#dispatchers.add(requests).add(watches);
    return { certificate, requests, watches };
  }

  #dispatcher(library: Undici, specific: Pool.Options, tls: object): Dispatcher {
    const { proxyUrl } = this.#config;
    const options: Pool.Options = {
      headersTimeout: ANSWER_TIMEOUT_MS,
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      ...specific,
    };
    if (proxyUrl !== undefined) {
      // Behind a proxy the sockets are out of reach, so a dead peer shows only by TCP keep-alive.
      const requestTls = { ...tls, allowH2: specific.allowH2 };
      return new library.ProxyAgent({
        ...options,
        uri: proxyUrl,
        requestTls,
        connectTimeout: CONNECT_TIMEOUT_MS,
      });
    }
    const { allowH2 = false } = specific;
    const connect = library.buildConnector({
      ...tls,
      allowH2,
      preferH2: allowH2,
      timeout: CONNECT_TIMEOUT_MS,
    });
    return new library.Pool(this.#origin, { ...options, connect: this.#watched(connect) });
  }

  #watched(connect: buildConnector.connector): buildConnector.connector {
    const { clock, deadPeerAfterMs } = this.#options;
    return (options, callback) =>
      connect(options, (...result) => {
        const [, socket] = result;
        if (socket) watchPeer(socket, clock, deadPeerAfterMs);
        callback(...result);
      });
  }
}
