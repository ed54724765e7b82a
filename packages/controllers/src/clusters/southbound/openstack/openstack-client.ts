import { connectionError } from '@perigee/kube/client/connection-failure';
import { HttpTransport } from '@perigee/kube/client/http-transport';
import type { Clock } from '@perigee/kube/clock/clock';
import { ConfigError } from '@perigee/kube/errors';
import { ParseError } from '@perigee/schema/errors';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { parseTime } from '@perigee/schema/values/time';
import { CloudRefusal } from '../../../errors.ts';
import type { OpenStackCredentials } from './openstack-credentials.ts';
import { endpointOf, objectsAt, regionsOf, unintelligible } from './service-catalogue.ts';

const ON_THIS_MACHINE = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Refuses to send passwords and tokens to another machine without TLS, unless the Secret allows it. */
const refusePlainText = (url: string, { allowsPlainText, source }: OpenStackCredentials): void => {
  const { protocol, hostname, origin } = new URL(url);
  if (protocol === 'https:' || allowsPlainText || ON_THIS_MACHINE.test(hostname)) return;
  throw new ConfigError(
    `${origin} is without TLS, and would be sent credentials in plain text: use https, or put allowPlainText: "true" into ${source}`,
  );
};

interface Token {
  readonly value: string;
  readonly expiresAtMs: number;
  readonly catalogue: readonly JsonObject[];
}

interface Answer {
  readonly code: number;
  readonly body: JsonObject;
  readonly subjectToken: string | undefined;
}

interface Request {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly token?: string;
  readonly body?: object;
  readonly signal: AbortSignal;
}

export type Service = 'compute' | 'volume';

const SERVICE_TYPES: { readonly [service in Service]: readonly string[] } = {
  compute: ['compute'],
  volume: ['block-storage', 'volumev3', 'block-store'],
};

/** Tokens are renewed this long before they expire. */
const MARGIN_MS = 60_000;
const NO_DEAD_PEERS = Number.POSITIVE_INFINITY;

const timeIn = (text: string, url: string): number => {
  try {
    return parseTime(text);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw unintelligible(url, 'the time at which its token expires');
  }
};

const ADVICE: { readonly [code: number]: (source: string) => string } = {
  401: (source) => `: the credentials in ${source} are wrong, expired or locked`,
  403: (source) => `: the user in ${source} needs the role reader on its project`,
};

/** A client of one OpenStack cloud: Keystone issues the token and lists the endpoints of the other services. */
export class OpenStackClient implements AsyncDisposable {
  readonly #credentials: OpenStackCredentials;
  readonly #clock: Clock;
  readonly #transports = new Map<string, HttpTransport>();
  #token: Token | undefined;
  /** Concurrent requests share one log-in. */
  #loggingIn: Promise<Token> | undefined;

  constructor(credentials: OpenStackCredentials, clock: Clock) {
    this.#credentials = credentials;
    this.#clock = clock;
  }

  /** True if the catalogue has the service. */
  async has(service: Service, signal: AbortSignal): Promise<boolean> {
    return this.#endpoint(await this.#validToken(signal), service) !== undefined;
  }

  /** GETs a path of a service, or a whole URL that it returned as the next page. */
  async get(service: Service, path: string, signal: AbortSignal): Promise<JsonObject> {
    const token = await this.#validToken(signal);
    const answer = await this.#ask(token, service, path, signal);
    if (answer.code !== 401) return this.#success(answer, service);
    // A changed password or role revokes tokens before they expire.
    if (this.#token === token) this.#token = undefined;
    const newer = await this.#validToken(signal);
    return this.#success(await this.#ask(newer, service, path, signal), service);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      Array.from(this.#transports.values(), (transport) => transport[Symbol.asyncDispose]()),
    );
  }

  #ask(token: Token, service: Service, path: string, signal: AbortSignal): Promise<Answer> {
    const base = this.#endpoint(token, service);
    if (base === undefined) {
      const { region, source } = this.#credentials;
      const where = region === undefined ? '' : ` in the region ${region}`;
      throw new ConfigError(
        `the catalogue of ${this.#credentials.authUrl} has no ${service} service${where}; it knows the regions ${regionsOf(token.catalogue).join(', ') || '(none)'}: correct region in ${source}`,
      );
    }
    const url = /^https?:/.test(path) ? path : base + path;
    // Sends the token to no other origin than the one in the catalogue.
    if (new URL(url).origin !== new URL(base).origin)
      throw unintelligible(base, 'a next page of its own');
    return this.#send({ method: 'GET', url, token: token.value, signal });
  }

  #endpoint({ catalogue }: Token, service: Service): string | undefined {
    return endpointOf(catalogue, SERVICE_TYPES[service], this.#credentials.region);
  }

  async #validToken(signal: AbortSignal): Promise<Token> {
    const token = this.#token;
    if (token !== undefined && token.expiresAtMs - MARGIN_MS > this.#clock.now()) return token;
    this.#loggingIn ??= this.#logIn(signal).finally(() => {
      this.#loggingIn = undefined;
    });
    this.#token = await this.#loggingIn;
    return this.#token;
  }

  async #logIn(signal: AbortSignal): Promise<Token> {
    const { authUrl, auth } = this.#credentials;
    const url = `${authUrl}/v3/auth/tokens`;
    const answer = await this.#send({ method: 'POST', url, body: { auth }, signal });
    const { code, subjectToken } = answer;
    if (code === 404) throw unintelligible(url, 'the Identity API v3');
    const { token } = this.#success(answer, 'identity');
    if (subjectToken === undefined || !isJsonObject(token)) throw unintelligible(url, 'a token');
    const { expires_at: expires, catalog } = token;
    if (typeof expires !== 'string' || !Array.isArray(catalog)) {
      throw unintelligible(url, 'a service catalogue');
    }
    const expiresAtMs = timeIn(expires, url);
    return { value: subjectToken, expiresAtMs, catalogue: objectsAt(catalog) };
  }

  /** Reports only the status code: the body may repeat secrets of the request. */
  #success({ code, body }: Answer, service: string): JsonObject {
    if (code < 300) return body;
    const { source, authUrl } = this.#credentials;
    const message = `the ${service} service of ${authUrl} answered with status ${code}`;
    throw new CloudRefusal(code, message + (ADVICE[code]?.(source) ?? ''));
  }

  async #send({ method, url, token, body, signal }: Request): Promise<Answer> {
    const { origin, hostname, pathname, search } = new URL(url);
    refusePlainText(url, this.#credentials);
    const where = `${url} (${this.#credentials.source})`;
    const read = async (): Promise<{ code: number; text: string; subject: unknown }> => {
      const response = await this.#transportTo(origin).send(
        'requests',
        {
          method,
          path: pathname + search,
          headers: {
            accept: 'application/json',
            'user-agent': 'perigee',
            ...present({
              'x-auth-token': token,
              'content-type': body === undefined ? undefined : 'application/json',
            }),
          },
          ...present({ body: body === undefined ? undefined : JSON.stringify(body) }),
          signal,
        },
        undefined,
      );
      const { statusCode, headers } = response;
      return {
        code: statusCode,
        text: await response.body.text(),
        subject: headers['x-subject-token'],
      };
    };
    const { code, text, subject } = await read().catch((error: unknown) => {
      signal.throwIfAborted();
      throw error instanceof ConfigError
        ? error
        : connectionError(error, { where, host: hostname, read: true });
    });
    const subjectToken = typeof subject === 'string' ? subject : undefined;
    return { code, body: this.#parse(text, code, where), subjectToken };
  }

  /** An error may come from a proxy in any format; a success must be JSON. */
  #parse(text: string, code: number, where: string): JsonObject {
    try {
      const document: unknown = JSON.parse(text);
      if (isJsonObject(document)) return document;
    } catch {
      // Reported below.
    }
    if (code >= 300) return {};
    throw unintelligible(where, 'JSON');
  }

  #transportTo(origin: string): HttpTransport {
    const presentTransport = this.#transports.get(origin);
    if (presentTransport !== undefined) return presentTransport;
    const { caBundle, source } = this.#credentials;
    const transport = new HttpTransport(
      { server: origin, source, ...present({ caBundle }) },
      { clock: this.#clock, deadPeerAfterMs: NO_DEAD_PEERS },
    );
    this.#transports.set(origin, transport);
    return transport;
  }
}
