import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { MoverClock } from '../clock.ts';
import { EndpointError } from '../errors.ts';
import { type Answer, readAnswer } from '../http/answer.ts';
import { HttpConnection, type HttpRequest, readBody } from '../http/http-connection.ts';
import { type RetryOptions, withRetries } from '../http/with-retries.ts';
import {
  bareEtag,
  type ObjectStretch,
  problemOfStretch,
  stretchHeaders,
} from './object-stretch.ts';
import { s3ErrorOf } from './s3-error.ts';
import { elementsOf, escapeXml, textOf } from './s3-xml.ts';
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

export interface S3Object {
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  readonly modifiedMs: number;
}

export interface ObjectHead extends Omit<S3Object, 'key'> {
  /** User metadata of the object, by names without x-amz-meta-. */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Page {
  readonly objects: readonly S3Object[];
  /** With a delimiter: what begins longer keys, up to the next one. */
  readonly prefixes: readonly string[];
  /** Of the next page. */
  readonly next: string | undefined;
}

type Query = Readonly<Record<string, string>>;

interface Call {
  readonly method: string;
  readonly key?: string;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | (() => AsyncIterable<Buffer>);
  /** SHA-256 of the body, when it is known. */
  readonly payload?: string;
}

export type ClientOptions = RetryOptions & { readonly clock: Pick<MoverClock, 'now' | 'delay'> };

/** No byte for this long counts as a cut connection. */
const IDLE_MS = 60_000;
const LONGEST_ANSWER = 16 * 2 ** 20;
const META = 'x-amz-meta-';

const headOf = ({ headers }: IncomingMessage): ObjectHead => ({
  size: Number(headers['content-length'] ?? 0),
  etag: bareEtag(headers.etag),
  modifiedMs: Date.parse(headers['last-modified'] ?? '') || 0,
  metadata: Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith(META) ? [[name.slice(META.length), String(value)]] : [],
    ),
  ),
});

const metadataHeaders = (metadata: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`${META}${name}`, value]));

/** Nothing has that name. */
export const isMissing = (error: unknown): error is EndpointError =>
  error instanceof EndpointError && error.problem === 'Missing';

/** Speaks with one bucket of S3, or of a store that is like it. */
export class S3Client implements Disposable {
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
  #signed({ method, key, query = {}, headers = {}, body, payload }: Call): HttpRequest {
    const path = key === undefined ? this.#base || '/' : `${this.#base}/${encodePath(key)}`;
    const text = encodeQuery(query);
    const hash = payload ?? (body === undefined ? EMPTY : UNSIGNED);
    const plain = {
      method,
      path,
      query: text,
      payload: hash,
      headers: { ...headers, host: this.#host },
    };
    return {
      method,
      path: text === '' ? path : `${path}?${text}`,
      headers: signRequest(plain, this.#bucket, this.#options.clock.now()),
      ...(body !== undefined && { body }),
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

  #retried<T>(run: () => Promise<T>): Promise<T> {
    return withRetries(run, this.#options);
  }

  /** A call whose answer is read as a whole. */
  #ask(call: Call): Promise<{ readonly response: IncomingMessage; readonly text: string }> {
    return this.#retried(async () => {
      const response = await this.#send(call);
      return { response, text: (await readBody(response, LONGEST_ANSWER)).toString() };
    });
  }

  async list(prefix: string, options: Query = {}): Promise<Page> {
    const query = { 'list-type': '2', 'encoding-type': 'url', prefix, ...options };
    const { text } = await this.#ask({ method: 'GET', query });
    // A page of a proxy would count as an empty bucket, which a sync makes its target like.
    if (!text.includes('<ListBucketResult')) {
      throw new EndpointError('Refused', 'the server answers with something that is no listing');
    }
    const isEncoded = textOf(text, 'EncodingType') === 'url';
    const name = (xml: string, element: string): string => {
      const elementText = textOf(xml, element);
      return isEncoded ? decodeURIComponent(elementText.replaceAll('+', ' ')) : elementText;
    };
    const isCut = textOf(text, 'IsTruncated') === 'true';
    const next = textOf(text, 'NextContinuationToken');
    if (isCut && next === '') {
      throw new EndpointError('Refused', 'the server lists only a part, and not how to go on');
    }
    return {
      objects: [...elementsOf(text, 'Contents')].map((xml) => ({
        key: name(xml, 'Key'),
        size: Number(textOf(xml, 'Size')),
        etag: bareEtag(textOf(xml, 'ETag')),
        modifiedMs: Date.parse(textOf(xml, 'LastModified')) || 0,
      })),
      prefixes: [...elementsOf(text, 'CommonPrefixes')].map((xml) => name(xml, 'Prefix')),
      next: isCut ? next : undefined,
    };
  }

  /** Size, version and metadata of an object; undefined if there is none. */
  async head(key: string): Promise<ObjectHead | undefined> {
    try {
      const { response } = await this.#ask({ method: 'HEAD', key });
      return headOf(response);
    } catch (error) {
      // Without a body it is unknown if the bucket is missing, too; a listing reports that.
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** One attempt at a call about the bytes of an object. Whoever gets the answer disposes of it. */
  async #exchange(
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

  /** One attempt to read a stretch of an object that must still be the same. */
  async get(key: string, stretch: ObjectStretch): Promise<Answer> {
    const call = { method: 'GET', key, headers: stretchHeaders(stretch) };
    try {
      return await this.#exchange(call, (answer) => problemOfStretch(answer, stretch));
    } catch (error) {
      // It was listed.
      if (!isMissing(error) || error.said === 'NoSuchBucket') throw error;
      throw new EndpointError('Changed', 'the object was deleted', error.said);
    }
  }

  /** Sends bytes, as often as it takes, and returns their ETag. */
  #put(call: Call): Promise<string> {
    return this.#retried(async () => {
      using answer = await this.#exchange(call);
      await readAnswer(answer, LONGEST_ANSWER);
      return bareEtag(answer.headers.etag);
    });
  }

  /** Writes a whole object, and returns its ETag. */
  put(
    key: string,
    body: Buffer,
    payload: string,
    metadata: Readonly<Record<string, string>>,
  ): Promise<string> {
    return this.#put({ method: 'PUT', key, headers: metadataHeaders(metadata), body, payload });
  }

  async read(key: string, most: number): Promise<Buffer> {
    return this.#retried(async () => readBody(await this.#send({ method: 'GET', key }), most));
  }

  async startUpload(key: string, metadata: Readonly<Record<string, string>>): Promise<string> {
    const headers = metadataHeaders(metadata);
    const { text } = await this.#ask({ method: 'POST', key, query: { uploads: '' }, headers });
    return textOf(text, 'UploadId');
  }

  /** Writes a part of an upload, and returns its ETag. */
  putPart(
    key: string,
    part: { readonly uploadId: string; readonly number: number; readonly length: number },
    body: () => AsyncIterable<Buffer>,
    payload: string | undefined,
  ): Promise<string> {
    const query = { partNumber: String(part.number), uploadId: part.uploadId };
    const headers = { 'content-length': String(part.length) };
    return this.#put({ method: 'PUT', key, query, headers, body, payload: payload ?? UNSIGNED });
  }

  /** The parts of an upload that are there, with their sizes and ETags. Nothing if there is no such upload. */
  async parts(
    key: string,
    uploadId: string,
  ): Promise<ReadonlyMap<number, { readonly size: number; readonly etag: string }> | undefined> {
    const parts = new Map<number, { size: number; etag: string }>();
    for (let marker = ''; ; ) {
      const query = { uploadId, ...(marker && { 'part-number-marker': marker }) };
      try {
        const { text } = await this.#ask({ method: 'GET', key, query });
        for (const xml of elementsOf(text, 'Part')) {
          const number = Number(textOf(xml, 'PartNumber'));
          parts.set(number, {
            size: Number(textOf(xml, 'Size')),
            etag: bareEtag(textOf(xml, 'ETag')),
          });
        }
        marker = textOf(text, 'NextPartNumberMarker');
        if (textOf(text, 'IsTruncated') !== 'true' || marker === '') return parts;
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    }
  }

  /** Makes an object of the parts, and returns its ETag. */
  completeUpload(key: string, uploadId: string, etags: readonly string[]): Promise<string> {
    const parts = etags.map(
      (etag, at) =>
        `<Part><PartNumber>${at + 1}</PartNumber><ETag>&quot;${escapeXml(etag)}&quot;</ETag></Part>`,
    );
    const body = Buffer.from(
      `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`,
    );
    const payload = createHash('sha256').update(body).digest('hex');
    const call = { method: 'POST', key, query: { uploadId }, body, payload };
    return this.#retried(async () => {
      const response = await this.#send(call);
      const answer = (await readBody(response, LONGEST_ANSWER)).toString();
      // The server begins to answer before it knows how it ends.
      if (answer.includes('<Error>')) throw s3ErrorOf(500, {}, answer, this.#bucket);
      const etag = bareEtag(textOf(answer, 'ETag'));
      if (etag !== '') return etag;
      throw new EndpointError('Unavailable', 'the server does not say if the upload is complete');
    });
  }

  async abortUpload(key: string, uploadId: string): Promise<void> {
    await this.#ask({ method: 'DELETE', key, query: { uploadId } }).catch((error) => {
      if (!isMissing(error)) throw error;
    });
  }

  async remove(key: string): Promise<void> {
    await this.#ask({ method: 'DELETE', key });
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }
}
