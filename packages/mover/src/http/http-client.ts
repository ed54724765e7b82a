import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { EndpointError } from '../errors.ts';
import type { HttpPlace } from '../place.ts';
import { type Answer, MessageAnswer } from './answer.ts';
import { HttpConnection, readBody } from './http-connection.ts';
import { type RetryOptions, withRetries } from './with-retries.ts';

/** A file of a server, as its headers describe it. */
export interface HttpHead {
  readonly size: number;
  readonly modifiedMs: number;
  readonly version: string;
  readonly etag: string;
  readonly isPage: boolean;
}

const IDLE_MS = 60_000;
const MOST_REDIRECTS = 5;
const LONGEST_PAGE = 8 * 2 ** 20;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const problemOf = (status: number, url: URL): EndpointError => {
  const where = `${url.origin}${url.pathname}`;
  if (status === 401 || status === 403) {
    return new EndpointError('Denied', `${where}: the server answers ${status}`, String(status));
  }
  if (status === 404 || status === 410) {
    return new EndpointError('Missing', `${where}: the server answers ${status}`);
  }
  if (status === 412) return new EndpointError('Changed', `${where} was replaced`);
  const isLater = status >= 500 || status === 408 || status === 429;
  return new EndpointError(
    isLater ? 'Unavailable' : 'Refused',
    `${where}: the server answers ${status}`,
  );
};

const headOf = ({ headers }: IncomingMessage): HttpHead => {
  const total = /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1];
  const size = Number(total ?? headers['content-length'] ?? Number.NaN);
  const etag = headers.etag ?? '';
  const modified = headers['last-modified'] ?? '';
  return {
    size,
    modifiedMs: Date.parse(modified) || 0,
    version: `${etag}/${modified}/${size}`,
    etag,
    isPage: (headers['content-type'] ?? '').startsWith('text/html'),
  };
};

/** Reads files and pages of a web server. */
export class HttpClient implements Disposable {
  readonly #place: HttpPlace;
  readonly #retries: RetryOptions;
  readonly #origin: string;
  readonly #token: string | undefined;
  readonly #connections = new Map<string, HttpConnection>();

  constructor(place: HttpPlace, retries: RetryOptions) {
    this.#place = place;
    this.#retries = retries;
    this.#origin = new URL(place.url).origin;
    this.#token = place.tokenFile && readFileSync(place.tokenFile, 'utf8').trim();
  }

  #connectionTo(origin: string): HttpConnection {
    const { caFile, pinnedCertificate } = this.#place;
    const connection =
      this.#connections.get(origin) ??
      new HttpConnection({
        origin,
        idleMs: IDLE_MS,
        ...(caFile && { caBundle: readFileSync(caFile, 'utf8') }),
        ...(pinnedCertificate && { pinnedCertificate }),
      });
    this.#connections.set(origin, connection);
    return connection;
  }

  /** Target of a redirect. The token is not sent to another host, and no redirect leads out of TLS. */
  #follow(from: URL, to: string | undefined): URL {
    if (
      this.#place.pinnedCertificate !== undefined ||
      to === undefined ||
      !URL.canParse(to, from.href)
    ) {
      throw new EndpointError(
        'Refused',
        `${from.origin}${from.pathname}: a redirect that is not followed`,
      );
    }
    const url = new URL(to, from);
    const isSafe =
      url.protocol === 'https:' || (url.protocol === 'http:' && from.protocol === 'http:');
    if (isSafe) return url;
    throw new EndpointError('Refused', `${from.origin}${from.pathname}: a redirect out of TLS`);
  }

  /** One attempt; redirects are followed. */
  async send(
    start: URL,
    method: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly response: IncomingMessage; readonly url: URL }> {
    let url = start;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      const isHome = url.origin === this.#origin;
      const response = await this.#connectionTo(url.origin).send({
        method,
        path: `${url.pathname}${url.search}`,
        headers: {
          host: url.host,
          'accept-encoding': 'identity',
          ...headers,
          ...(isHome && this.#token && { authorization: `Bearer ${this.#token}` }),
        },
      });
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 300) return { response, url };
      response.resume();
      if (!REDIRECTS.has(statusCode)) throw problemOf(statusCode, url);
      url = this.#follow(url, response.headers.location);
    }
    throw new EndpointError('Refused', `${start.origin}${start.pathname}: too many redirects`);
  }

  head(url: URL): Promise<HttpHead & { readonly url: URL }> {
    return withRetries(async () => {
      try {
        const { response, url: end } = await this.send(url, 'HEAD');
        response.resume();
        return { ...headOf(response), url: end };
      } catch (error) {
        const isRefused =
          error instanceof EndpointError && ['Denied', 'Refused'].includes(error.problem);
        if (!isRefused) throw error;
        // Addresses that are signed for reading are often good for nothing else.
        const { response, url: end } = await this.send(url, 'GET', { range: 'bytes=0-0' });
        response.destroy();
        return { ...headOf(response), url: end };
      }
    }, this.#retries);
  }

  page(url: URL): Promise<{ readonly text: string; readonly url: URL }> {
    return withRetries(async () => {
      const { response, url: end } = await this.send(url, 'GET');
      return { text: (await readBody(response, LONGEST_PAGE)).toString(), url: end };
    }, this.#retries);
  }

  /** One attempt to read a stretch of a file that must still be the same. */
  async get(
    url: URL,
    { size, version }: { size: number; version: string },
    from: number,
    to: number,
  ): Promise<Answer> {
    const isWhole = from === 0 && to === size;
    const { response } = await this.send(
      url,
      'GET',
      isWhole ? {} : { range: `bytes=${from}-${to - 1}` },
    );
    const head = headOf(response);
    const where = `${url.origin}${url.pathname}`;
    if (head.version !== version) {
      response.destroy();
      throw new EndpointError('Changed', `${where} was replaced`);
    }
    if (isWhole || response.statusCode === 206) return new MessageAnswer(response);
    response.destroy();
    throw new EndpointError(
      'Refused',
      `${where}: the server cannot send parts of a file (Range), in which files of more than 8 MiB are read`,
    );
  }

  [Symbol.dispose](): void {
    for (const connection of this.#connections.values()) connection[Symbol.dispose]();
  }
}
