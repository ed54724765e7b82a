import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { parseExactJson } from '@perigee/schema/exact-json';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import type { Clock } from '../clock/clock.ts';
import { ConfigError, ConnectionError } from '../errors.ts';
import { apiFailure } from './api-failure.ts';
import type { ClusterConfig, Credentials, Impersonation } from './cluster-config.ts';
import { connectionError, isUnsendable } from './connection-failure.ts';
import { orAborted } from './or-aborted.ts';
import { type RetryPolicy, retryDelayMs } from './retry.ts';
import { describeServer } from './server-url.ts';
import type { Channel, Transport, TransportResponse } from './transport.ts';
import { warningTexts } from './warning-header.ts';

/** Header names allow few characters, so the server decodes the rest from percent signs. */
const extraName = (key: string): string =>
  `impersonate-extra-${encodeURIComponent(key).replace(/[()]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)}`;

/** The headers that ask the server to act as somebody else. */
const impersonationHeaders = ({
  user,
  uid,
  groups = [],
  extra = {},
}: Impersonation): { readonly [name: string]: string | string[] } => ({
  'impersonate-user': user,
  ...present({ 'impersonate-uid': uid, 'impersonate-group': unlessEmpty([...groups]) }),
  ...Object.fromEntries(
    Object.entries(extra).map(([key, values]) => [extraName(key), [...values]]),
  ),
});

/** The delay of a `Retry-After` header in seconds, from a number or a date. */
const retryAfterSeconds = (header: string | undefined, nowMs: number): number | undefined => {
  if (header === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header);
  const moment = Date.parse(header);
  return Number.isNaN(moment) ? undefined : Math.max(0, (moment - nowMs) / 1000);
};

/** One request to an API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the server's base URL, with the query. */
  readonly path: string;
  readonly kind?: ResourceKind;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: object;
  readonly signal?: AbortSignal;
}

export interface CallerOptions {
  readonly clock: Clock;
  readonly retry: RetryPolicy;
  readonly userAgent: string;
  readonly onWarning?: (text: string) => void;
}

const ANONYMOUS: Credentials = {};
const LONGEST_FAILURE_BYTES = 1024 * 1024;

/** The text of a failure, as far as anybody would read it: a server that never ends it is left alone. */
const startOf = async (body: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= LONGEST_FAILURE_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8', 0, LONGEST_FAILURE_BYTES);
};

/** Sends requests as somebody, tries again where that is safe, and turns failures into errors. */
export class ApiCaller {
  /** The server in error messages. */
  readonly where: string;
  readonly #config: ClusterConfig;
  readonly #transport: Transport;
  readonly #options: CallerOptions;
  readonly #url: URL;
  readonly #basePath: string;
  readonly #headers: { readonly [name: string]: string | string[] };

  constructor(config: ClusterConfig, transport: Transport, options: CallerOptions) {
    this.#config = config;
    this.#transport = transport;
    this.#options = options;
    this.where = describeServer(config);
    this.#url = new URL(config.server);
    this.#basePath = this.#url.pathname.replace(/(?<!\/)\/+$/, '');
    this.#headers = {
      'user-agent': options.userAgent,
      ...(config.impersonate ? impersonationHeaders(config.impersonate) : {}),
    };
  }

  /** Sends a request and reads the text of the answer. */
  text(request: ApiRequest): Promise<string> {
    return this.#retrying(request, request.method === 'GET', async () => {
      const { body } = await this.#send('requests', request);
      return this.#unbroken(request, body.text());
    });
  }

  /** Sends a request and reads the JSON of the answer. */
  async call(request: ApiRequest): Promise<unknown> {
    const text = await this.text(request);
    try {
      return parseExactJson(text);
    } catch (error) {
      throw this.senseless('not JSON', { cause: error });
    }
  }

  /** Sends a request and reads the object that is the answer. */
  async object(request: ApiRequest): Promise<JsonObject> {
    const answer = await this.call(request);
    if (isJsonObject(answer)) return answer;
    throw this.senseless('no object');
  }

  /** The error for an answer that is not from an API server. */
  senseless(what: string, options: ErrorOptions = {}): ConnectionError {
    return new ConnectionError(
      `${this.where} answered something that is ${what}; check that an API server is there, not a proxy or a login page`,
      { ...options, failure: 'unintelligible' },
    );
  }

  /**
   * Opens an answer that goes on until the server ends it or the signal is aborted. Whoever watches
   * must begin again after a break in any case, so breaks are left to them.
   */
  open(request: ApiRequest): Promise<TransportResponse> {
    return this.#retrying(request, false, () => this.#send('watches', request));
  }

  /** The error for a broken connection, with the address of this server. */
  broken(error: unknown, { method }: Pick<ApiRequest, 'method'>): ConnectionError {
    return connectionError(error, {
      where: this.where,
      host: this.#url.hostname,
      read: method === 'GET',
    });
  }

  async #retrying<T>(
    { signal }: ApiRequest,
    retryFailures: boolean,
    attempt: () => Promise<T>,
  ): Promise<T> {
    const { clock, retry } = this.#options;
    for (let failures = 1; ; failures++) {
      signal?.throwIfAborted();
      try {
        return await attempt();
      } catch (error) {
        signal?.throwIfAborted();
        const delay = retryDelayMs(error, failures, { retryFailures }, retry, clock.random());
        if (delay === undefined) throw error;
        await clock.sleep(delay, signal);
      }
    }
  }

  /** One attempt; a second one with newer credentials where the server has rejected the old ones. */
  async #send(channel: Channel, request: ApiRequest): Promise<TransportResponse> {
    const credentials = await this.#credentials(request);
    const response = await this.#exchange(channel, request, credentials);
    if (response.statusCode !== 401) return this.#success(request, response);
    const newer = await this.#credentials(request, credentials);
    if (newer === credentials) return this.#success(request, response);
    await this.#unbroken(request, response.body.dump());
    return this.#success(request, await this.#exchange(channel, request, newer));
  }

  /** Nothing secret goes over a connection that others can read. */
  #credentials({ signal }: ApiRequest, rejected?: Credentials): Promise<Credentials> {
    const { credentials } = this.#config;
    if (credentials === undefined || this.#url.protocol !== 'https:') {
      return Promise.resolve(rejected ?? ANONYMOUS);
    }
    return orAborted(credentials(rejected), signal);
  }

  #exchange(
    channel: Channel,
    request: ApiRequest,
    { authorization, certificate }: Credentials,
  ): Promise<TransportResponse> {
    const { method, path, accept, contentType, body, signal } = request;
    const headers = {
      ...this.#headers,
      accept: accept ?? 'application/json',
      ...present({ authorization }),
      ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
    };
    const options = {
      method,
      path: this.#basePath + path,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...present({ signal }),
    };
    return this.#unbroken(request, this.#transport.send(channel, options, certificate));
  }

  async #success(request: ApiRequest, response: TransportResponse): Promise<TransportResponse> {
    const { statusCode, headers, body } = response;
    const { onWarning, clock } = this.#options;
    if (onWarning && headers.warning !== undefined) {
      for (const text of warningTexts(headers.warning)) onWarning(text);
    }
    if (statusCode < 300) return response;
    const wait = retryAfterSeconds([headers['retry-after']].flat()[0], clock.now());
    const answer = {
      code: statusCode,
      body: await this.#unbroken(request, startOf(body)),
      ...present({ retryAfterSeconds: wait }),
    };
    const read = request.method === 'GET';
    const about = request.kind ? { kind: request.kind } : {};
    throw apiFailure(answer, { where: this.where, read, ...about });
  }

  async #unbroken<T>(request: ApiRequest, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      if (!isUnsendable(error)) throw this.broken(error, request);
      throw new ConfigError(
        `the credentials for ${this.where} hold characters that cannot be sent: check the token and the names to act as`,
      );
    }
  }
}
