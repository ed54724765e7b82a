import type { IncomingMessage } from 'node:http';
import type { MoverClock } from '../clock.ts';
import { EndpointError } from '../errors.ts';
import { type Answer, readAnswer } from '../http/answer.ts';
import { HttpConnection, type HttpRequest, readBody } from '../http/http-connection.ts';
import { type RetryOptions, withRetries } from '../http/with-retries.ts';
import { bareEtag, md5Of } from './etag.ts';
import { s3ErrorOf } from './s3-error.ts';
import {
  EMPTY,
  encodePath,
  encodeQuery,
  type Signer,
  signRequest,
  UNSIGNED,
} from './sign-request.ts';

/** A bucket, and how to reach it. */
export interface Bucket extends Signer {
  /** Such as https://s3.eu-central-1.amazonaws.com. */
  readonly endpoint: string;
  readonly bucket: string;
  /** The name of the bucket is in the path, not in that of the host. */
  readonly pathStyle: boolean;
  readonly caBundle?: string;
}

export type Query = Readonly<Record<string, string>>;

/** A request about a bucket, or about an object in it. */
export interface Call {
  readonly method: string;
  readonly key?: string;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the object that is written. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly body?: Buffer | (() => AsyncIterable<Buffer>);
  /** SHA-256 of the body, when it is known. */
  readonly payload?: string;
}

export interface WholeAnswer {
  readonly response: IncomingMessage;
  readonly text: string;
}

export type ClientOptions = RetryOptions & { readonly clock: Pick<MoverClock, 'now' | 'delay'> };

/** No byte for this long counts as a cut connection. */
const IDLE_MS = 60_000;
/**
 * A server may take this long with what it got: to assemble an upload, or to write it. That of rclone writes parts in
 * their order, and all that have come meanwhile during the request for one of them.
 */
const PATIENCE_MS = 5 * 60_000;
const LONGEST_ANSWER = 16 * 2 ** 20;
/** Begins the names of headers with metadata of users. */
export const META = 'x-amz-meta-';
/** Nothing has that name. */
export const isMissing = (error: unknown): error is EndpointError =>
  error instanceof EndpointError && error.problem === 'Missing';

/** Sends signed calls to one bucket. What its server refuses is thrown. */
export class S3Connection implements Disposable {
  readonly #bucket: Bucket;
  readonly #options: ClientOptions;
  readonly #connection: HttpConnection;
  readonly #base: string;
  readonly #host: string;

  constructor(bucket: Bucket, options: ClientOptions) {
    this.#bucket = bucket;
    this.#options = options;
    const url = new URL(bucket.endpoint);
    const host = bucket.pathStyle ? url.host : `${bucket.bucket}.${url.host}`;
    this.#host = host;
    const above = url.pathname.replace(/\/$/, '');
    this.#base = bucket.pathStyle ? `${above}/${bucket.bucket}` : above;
    this.#connection = new HttpConnection({
      origin: `${url.protocol}//${host}`,
      idleMs: IDLE_MS,
      ...(bucket.caBundle !== undefined && { caBundle: bucket.caBundle }),
    });
  }

  /** A call as it is sent, with its signature. */
  #signed(call: Call): HttpRequest {
    const { method, key, query = {}, headers = {}, metadata = {}, body, payload } = call;
    const path = key === undefined ? this.#base || '/' : `${this.#base}/${encodePath(key)}`;
    const text = encodeQuery(query);
    const hash = payload ?? (body === undefined ? EMPTY : UNSIGNED);
    const all: Record<string, string> = { ...headers, host: this.#host };
    for (const [name, value] of Object.entries(metadata)) all[`${META}${name}`] = value;
    const plain = { method, path, query: text, payload: hash, headers: all };
    return {
      method,
      path: text === '' ? path : `${path}?${text}`,
      headers: signRequest(plain, this.#bucket, this.#options.clock.now()),
      ...(body !== undefined && { body, patienceMs: PATIENCE_MS }),
    };
  }

  /** One attempt. What the server refuses is thrown. */
  async #send(call: Call): Promise<IncomingMessage> {
    const response = await this.#connection.send(this.#signed(call));
    const { statusCode = 0 } = response;
    if (statusCode >= 200 && statusCode < 300) return response;
    const answer = await readBody(response, LONGEST_ANSWER);
    throw s3ErrorOf(statusCode, response.headers, answer.toString(), this.#bucket);
  }

  retried<T>(run: () => Promise<T>, options: { readonly attempts?: number } = {}): Promise<T> {
    return withRetries(run, { ...this.#options, ...options });
  }

  /** One attempt at a call whose answer is read as a whole. */
  async askOnce(call: Call): Promise<WholeAnswer> {
    const response = await this.#send(call);
    const text = (await readBody(response, LONGEST_ANSWER)).toString();
    // A server may begin to answer before it knows how it ends.
    if (text.includes('<Error>')) throw s3ErrorOf(500, {}, text, this.#bucket);
    return { response, text };
  }

  ask(call: Call): Promise<WholeAnswer> {
    return this.retried(() => this.askOnce(call));
  }

  /** One attempt at a call about the bytes of an object. Whoever gets the answer disposes of it. */
  async exchange(
    call: Call,
    problemOf: (answer: Answer) => EndpointError | undefined = () => undefined,
  ): Promise<Answer> {
    const answer = await this.#connection.ask(this.#signed(call));
    const isSuccess = answer.status >= 200 && answer.status < 300;
    const problem = isSuccess ? problemOf(answer) : undefined;
    if (isSuccess && problem === undefined) return answer;
    using _ = answer;
    if (problem) throw problem;
    const text = (await readAnswer(answer, LONGEST_ANSWER)).toString();
    throw s3ErrorOf(answer.status, answer.headers, text, this.#bucket);
  }

  /** Sends bytes, as often as it takes, and returns the MD5 of what the server has, if it reports that. */
  put(call: Call): Promise<string | undefined> {
    return this.retried(async () => {
      using answer = await this.exchange(call);
      await readAnswer(answer, LONGEST_ANSWER);
      return md5Of(bareEtag(answer.headers.etag), answer.headers);
    });
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }
}
