import type { ClientRequest, IncomingMessage, Agent as PlainAgent } from 'node:http';
import type { Agent as TlsAgent } from 'node:https';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { connectionErrorOf, EndpointError } from '../errors.ts';
import { type Answer, MessageAnswer } from './answer.ts';
import { BodySockets } from './body-sockets.ts';
import { nodeHttp, nodeHttps } from './node-http.ts';
import { sendBody } from './send-body.ts';

/** Options of the connections to a server. */
export interface ConnectionOptions {
  readonly origin: string;
  /** Certificates of authorities to trust beside the usual ones, as PEM. */
  readonly caBundle?: string;
  /** SHA-256 of the one certificate to trust, regardless of its issuer. */
  readonly pinnedCertificate?: string;
  /** No byte for this long counts as a cut connection. */
  readonly idleMs: number;
}

export interface HttpRequest {
  readonly method: string;
  /** With the query, as it is sent. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A body that is read again for each attempt. */
  readonly body?: Buffer | (() => AsyncIterable<Buffer>);
  /** How long the answer may take once all was sent, if that is longer than no byte may come otherwise. */
  readonly patienceMs?: number;
}

const MOST_SOCKETS = 64;

const fingerprint = (text: string): string => text.replaceAll(':', '').toLowerCase();

/** Connections to one server, which are used again. */
export class HttpConnection implements Disposable {
  readonly #options: ConnectionOptions;
  readonly #url: URL;
  #agent: PlainAgent | TlsAgent | undefined;
  /** Until the server answers with what only the full client can read. */
  #bodies: BodySockets | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#url = new URL(options.origin);
    if (this.#url.protocol === 'http:') {
      this.#bodies = new BodySockets({ url: this.#url, idleMs: options.idleMs });
    }
  }

  /** Made when it is needed: to load all of the HTTP of Node.js takes a thread longer than many small objects. */
  #openAgent(): PlainAgent | TlsAgent {
    const { caBundle, pinnedCertificate } = this.#options;
    const usual = { keepAlive: true, maxSockets: MOST_SOCKETS, scheduling: 'lifo' } as const;
    if (this.#url.protocol === 'http:') return new (nodeHttp().Agent)(usual);
    return new (nodeHttps().Agent)({
      ...usual,
      ...(caBundle !== undefined && { ca: caBundle }),
      // Its fingerprint is compared before anything is sent.
      // A session that is resumed shows no certificate.
      ...(pinnedCertificate !== undefined && { rejectUnauthorized: false, maxCachedSessions: 0 }),
    });
  }

  /** Sends what is large or sent often; the answer is read into memory of the caller. Asked twice at worst. */
  async ask(request: HttpRequest): Promise<Answer> {
    const answer = await this.#bodies?.ask(request).catch((error) => {
      throw connectionErrorOf(error, this.#options.origin);
    });
    if (answer !== undefined) return answer;
    this.#bodies?.[Symbol.dispose]();
    this.#bodies = undefined;
    return new MessageAnswer(await this.send(request));
  }

  /** Sends a request, and returns when the headers of the answer are there and nothing of the body is read any more. */
  send(request: HttpRequest): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const { method, path, headers, body, patienceMs } = request;
    // Whoever gets the outcome may begin to fill the buffers again that the body is read into.
    let streamed: Promise<void> | undefined;
    const settle = (run: () => void): void => {
      if (streamed === undefined) run();
      else void streamed.then(run);
    };
    const isTls = this.#url.protocol === 'https:';
    this.#agent ??= this.#openAgent();
    const outgoing = (isTls ? nodeHttps() : nodeHttp()).request({
      agent: this.#agent,
      hostname: this.#url.hostname.replace(/^\[|\]$/g, ''),
      ...(this.#url.port && { port: this.#url.port }),
      method,
      path,
      headers: {
        ...headers,
        ...(Buffer.isBuffer(body) && { 'content-length': String(body.length) }),
      },
    });
    const { idleMs, origin } = this.#options;
    outgoing.setTimeout(idleMs, () => {
      outgoing.destroy(new EndpointError('Unavailable', `no answer in ${patienceMs ?? idleMs} ms`));
    });
    if (patienceMs !== undefined) outgoing.once('finish', () => outgoing.setTimeout(patienceMs));
    outgoing.once('response', (response) => {
      // Readers get the error from the stream; this handles it for those who have stopped reading.
      response.on('error', () => {});
      settle(() => resolve(response));
    });
    outgoing.on('error', (error) => settle(() => reject(connectionErrorOf(error, origin))));
    const write = (): void => {
      if (outgoing.destroyed) return;
      if (typeof body !== 'function') outgoing.end(body);
      else {
        streamed = this.#stream(outgoing, body()).catch((error) => void outgoing.destroy(error));
      }
    };
    const { pinnedCertificate: pinned } = this.#options;
    if (pinned === undefined) write();
    else {
      outgoing.once('socket', (socket) => {
        const verify = (): void => {
          const { fingerprint256 = '' } = (
            socket as TLSSocket
          ).getPeerCertificate() as Partial<PeerCertificate>;
          if (fingerprint(fingerprint256) === fingerprint(pinned)) write();
          else
            outgoing.destroy(
              new EndpointError(
                'Untrusted',
                'the server has another certificate than the pinned one',
              ),
            );
        };
        if (
          socket.connecting ||
          (socket as TLSSocket).getPeerCertificate().fingerprint256 === undefined
        )
          socket.once('secureConnect', verify);
        else verify();
      });
    }
    return promise;
  }

  async #stream(outgoing: ClientRequest, body: AsyncIterable<Buffer>): Promise<void> {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    let isOver = false;
    const stop = (): void => {
      isOver = true;
      end();
    };
    outgoing.once('response', (response) => {
      stop();
      // A connection with half a request is good for no other.
      response.once('end', () => outgoing.writableEnded || outgoing.destroy());
    });
    outgoing.once('close', stop);
    const write = (bytes: Buffer): Promise<void> =>
      Promise.race([new Promise<void>((done) => outgoing.write(bytes, () => done())), over]);
    await sendBody(body, write, () => isOver);
    if (!isOver) outgoing.end();
  }

  [Symbol.dispose](): void {
    this.#agent?.destroy();
    this.#bodies?.[Symbol.dispose]();
  }
}

/** All of a body, which must not be longer than that. */
export const readBody = async (response: IncomingMessage, most: number): Promise<Buffer> => {
  const all: Buffer[] = [];
  let length = 0;
  for await (const bytes of response) {
    length += bytes.length;
    if (length > most) {
      response.destroy();
      throw new EndpointError('Refused', `an answer of more than ${most} bytes`);
    }
    all.push(bytes);
  }
  return Buffer.concat(all);
};
