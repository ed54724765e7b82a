import type { IncomingMessage } from 'node:http';
import { EndpointError } from '../errors.ts';
import { type Answer, readAnswer } from '../http/answer.ts';
import { bareEtag, md5Of } from './etag.ts';
import { type ObjectStretch, problemOfStretch, stretchHeaders } from './object-stretch.ts';
import {
  type Bucket,
  type ClientOptions,
  isMissing,
  META,
  type Query,
  S3Connection,
} from './s3-connection.ts';
import { S3Uploads } from './s3-uploads.ts';
import { elementsOf, textOf } from './s3-xml.ts';

export interface S3Object {
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  readonly modifiedMs: number;
}

export interface ObjectHead extends Omit<S3Object, 'key'> {
  /** Of its content, if the ETag has it. */
  readonly md5: string | undefined;
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

const headOf = ({ headers }: IncomingMessage): ObjectHead => ({
  size: Number(headers['content-length'] ?? 0),
  etag: bareEtag(headers.etag),
  md5: md5Of(bareEtag(headers.etag), headers),
  modifiedMs: Date.parse(headers['last-modified'] ?? '') || 0,
  metadata: Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith(META) ? [[name.slice(META.length), String(value)]] : [],
    ),
  ),
});

/** The objects of one bucket of S3, or of a store that is like it. */
export class S3Client implements Disposable {
  readonly #connection: S3Connection;
  readonly uploads: S3Uploads;

  constructor(bucket: Bucket, options: ClientOptions) {
    this.#connection = new S3Connection(bucket, options);
    this.uploads = new S3Uploads(this.#connection);
  }

  async list(prefix: string, options: Query = {}): Promise<Page> {
    const query = { 'list-type': '2', 'encoding-type': 'url', prefix, ...options };
    const { text } = await this.#connection.ask({ method: 'GET', query });
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
      const { response } = await this.#connection.ask({ method: 'HEAD', key });
      return headOf(response);
    } catch (error) {
      // Without a body it is unknown if the bucket is missing, too; a listing reports that.
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** One attempt to read a stretch of an object that must still be the same. */
  async get(key: string, stretch: ObjectStretch): Promise<Answer> {
    const call = { method: 'GET', key, headers: stretchHeaders(stretch) };
    try {
      return await this.#connection.exchange(call, (answer) => problemOfStretch(answer, stretch));
    } catch (error) {
      // It was listed.
      if (!isMissing(error) || error.serverCode === 'NoSuchBucket') throw error;
      throw new EndpointError('Changed', 'the object was deleted', error.serverCode);
    }
  }

  /** Writes a whole object, and returns the MD5 of what the server has, if it reports that. */
  put(
    key: string,
    body: Buffer,
    payload: string,
    metadata: Readonly<Record<string, string>>,
  ): Promise<string | undefined> {
    return this.#connection.put({ method: 'PUT', key, metadata, body, payload });
  }

  read(key: string, most: number): Promise<Buffer> {
    return this.#connection.retried(async () => {
      using answer = await this.#connection.exchange({ method: 'GET', key });
      return readAnswer(answer, most);
    });
  }

  async remove(key: string): Promise<void> {
    await this.#connection.ask({ method: 'DELETE', key });
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }
}
