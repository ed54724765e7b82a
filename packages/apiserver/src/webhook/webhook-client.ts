import type { IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import type { Clock } from '@perigee/kube/clock/clock';
import { parseExactJson } from '@perigee/schema/exact-json';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { WebhookError } from '../errors.ts';
import { noServices, type ResolveService, type WebhookAddress } from './webhook-address.ts';

export interface WebhookClientOptions {
  readonly clock: Clock;
  /** Resolves the addresses of services; services fail without it. */
  readonly resolveService?: ResolveService;
  readonly userAgent?: string;
}

export interface CallOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Above the size of the largest list of the largest objects in one request. */
const LARGEST_REPLY_BYTES = 64 * 1024 * 1024;
const MOST_QUOTED = 2048;

/** In the format of Kubernetes: the call, then the error. */
const callError = ({ url }: WebhookAddress, timeout: string, cause: unknown): WebhookError => {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new WebhookError(`Post "${url.href}${timeout}": ${why}`, { cause });
};

/** In the words of Kubernetes, if it has some. */
const statusError = (code: number, text: string): WebhookError => {
  const start = text.slice(0, MOST_QUOTED).trim();
  if (code >= 300 && code < 400) {
    return new WebhookError(`the webhook redirects (${code}), which is not followed`);
  }
  if (code === 404) return new WebhookError('the server could not find the requested resource');
  return new WebhookError(
    code >= 500
      ? `an error on the server (${JSON.stringify(start)}) has prevented the request from succeeding`
      : `the server responded with the status code ${code}: ${JSON.stringify(start)}`,
  );
};

const readText = async (reply: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of reply) {
    parts.push(part);
    bytes += part.length;
    if (bytes > LARGEST_REPLY_BYTES) {
      throw new WebhookError(`the webhook's answer has more than ${LARGEST_REPLY_BYTES} bytes`);
    }
  }
  return Buffer.concat(parts, bytes).toString();
};

const parseObject = (code: number, text: string): JsonObject => {
  if (code < 200 || code > 299) throw statusError(code, text);
  const start = JSON.stringify(text.slice(0, MOST_QUOTED));
  try {
    const value = parseExactJson(text);
    if (isJsonObject(value)) return value;
  } catch (cause) {
    throw new WebhookError(`the answer is no JSON: ${start}`, { cause });
  }
  throw new WebhookError(`the answer is no JSON object: ${start}`);
};

/**
 * Posts JSON objects to webhooks over TLS. It follows no redirects and uses no proxies: a webhook is
 * trusted with whole objects, and only at the address that its configuration names.
 */
export class WebhookClient implements Disposable {
  readonly #clock: Clock;
  readonly #resolveService: ResolveService;
  readonly #userAgent: string;
  readonly #agent = new Agent({ keepAlive: true, maxCachedSessions: 100 });

  constructor({ clock, resolveService = noServices, userAgent = 'perigee' }: WebhookClientOptions) {
    this.#clock = clock;
    this.#resolveService = resolveService;
    this.#userAgent = userAgent;
  }

  /** Posts the body and returns the response object. Throws a `WebhookError`. */
  async call(
    address: WebhookAddress,
    body: JsonObject,
    { timeoutMs, signal }: CallOptions,
  ): Promise<JsonObject> {
    const timeout = `?timeout=${timeoutMs / 1000}s`;
    const stop = new AbortController();
    const why = new Error('context deadline exceeded');
    using _timer = this.#clock.timer(timeoutMs, () => stop.abort(why));
    const callSignal = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
    try {
      const reply = await this.#post(address, timeout, JSON.stringify(body), callSignal);
      return parseObject(reply.statusCode ?? 0, await readText(reply));
    } catch (error) {
      if (error instanceof WebhookError) throw error;
      throw callError(address, timeout, callSignal.aborted ? callSignal.reason : error);
    }
  }

  async #post(
    { url, service, ca }: WebhookAddress,
    search: string,
    body: string,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const resolvedAddress = service === undefined ? undefined : await this.#resolveService(service);
    const options: RequestOptions = {
      method: 'POST',
      agent: this.#agent,
      signal,
      path: `${url.pathname}${search}`,
      host: (resolvedAddress?.host ?? url.hostname).replace(/^\[|\]$/g, ''),
      port: resolvedAddress?.port ?? (url.port || 443),
      ...present({ servername: resolvedAddress && url.hostname, ca }),
      headers: {
        host: url.host,
        accept: 'application/json, */*',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': this.#userAgent,
      },
    };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    request(options, resolve).on('error', reject).end(body);
    return promise;
  }

  /** Closes the connections that are kept for the next call. */
  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
