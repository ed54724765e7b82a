import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { list } from './s3-page.ts';
import { signatureProblem } from './s3-signature.ts';
import { tellError } from './s3-tell-error.ts';

export interface StoredObject {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly metadata: { readonly [name: string]: string };
  readonly modifiedMs: number;
}

/** A fault in place of an answer. */
export type Fault =
  | 503
  | 'cut'
  | 'quota'
  | 'no ranges'
  /** It is done, but the connection is cut before that is told. */
  | 'lost'
  /** It is done with another first byte, as if that had changed on the way. */
  | 'damaged'
  /** An error by its code. */
  | { readonly code: string }
  /** Told with the status of success. */
  | { readonly text: string }
  | undefined;

export interface S3Request {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

export interface S3Server extends AsyncDisposable {
  readonly endpoint: string;
  /** By their keys. Nothing is there while it is undefined: the bucket is gone. */
  objects: Map<string, StoredObject> | undefined;
  readonly uploads: Map<string, Map<number, StoredObject>>;
  readonly requests: S3Request[];
  /** Objects are kept under a key of KMS: their ETags have the form of an MD5, and are none. */
  isUnderKey: boolean;
  fault: (request: S3Request) => Fault;
  put(key: string, text: string | Buffer, metadata?: { [name: string]: string }): void;
}

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const all: Buffer[] = [];
  for await (const bytes of request) all.push(bytes);
  return Buffer.concat(all);
};

const metadataIn = (headers: IncomingMessage['headers']): { [name: string]: string } =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-amz-meta-') ? [[name.slice(11), String(value)]] : [],
    ),
  );

/** A store in memory with one bucket, `bkt`, that checks signatures and can be told to misbehave. */
export const startS3 = async (): Promise<S3Server> => {
  let uploads = 0;
  let times = Date.UTC(2026, 0, 1);
  const openUploads = new Map<string, { key: string; metadata: { [name: string]: string } }>();
  const objectOf = (bytes: Buffer, metadata = {}): StoredObject => {
    times += 1000;
    const etag = md5(server.isUnderKey ? Buffer.concat([Buffer.from('key'), bytes]) : bytes);
    return { bytes, etag, metadata, modifiedMs: times };
  };

  const answer = (
    request: S3Request & { readonly isCut: boolean },
    body: Buffer,
    response: ServerResponse,
  ): void => {
    const { method, key, query, headers, isCut } = request;
    const isHead = method === 'HEAD';
    if (server.isUnderKey) response.setHeader('x-amz-server-side-encryption', 'aws:kms');
    const { objects } = server;
    if (objects === undefined) {
      tellError(response, 'NoSuchBucket', isHead);
      return;
    }
    const id = query.get('uploadId');
    if (key === '') {
      response.end(list(objects, query));
      return;
    }
    if (method === 'POST' && query.has('uploads')) {
      const next = `upload-${++uploads}`;
      server.uploads.set(next, new Map());
      openUploads.set(next, { key, metadata: metadataIn(headers) });
      response.end(`<R><UploadId>${next}</UploadId></R>`);
      return;
    }
    if (id !== null) {
      const parts = server.uploads.get(id);
      if (parts === undefined) {
        tellError(response, 'NoSuchUpload', isHead);
        return;
      }
      if (method === 'PUT') {
        const part = objectOf(body);
        parts.set(Number(query.get('partNumber')), part);
        response.setHeader('etag', `"${part.etag}"`);
        response.end();
        return;
      }
      if (method === 'GET') {
        const all = [...parts].map(
          ([number, { bytes, etag }]) =>
            `<Part><PartNumber>${number}</PartNumber><Size>${bytes.length}</Size><ETag>"${etag}"</ETag></Part>`,
        );
        response.end(`<R><IsTruncated>false</IsTruncated>${all.join('')}</R>`);
        return;
      }
      if (method === 'DELETE') {
        server.uploads.delete(id);
        response.writeHead(204).end();
        return;
      }
      const ordered = [...parts].sort(([a], [b]) => a - b).map(([, part]) => part);
      const sum = md5(Buffer.concat(ordered.map(({ etag }) => Buffer.from(etag, 'hex'))));
      const whole = objectOf(
        Buffer.concat(ordered.map(({ bytes }) => bytes)),
        openUploads.get(id)?.metadata,
      );
      objects.set(key, { ...whole, etag: `${sum}-${ordered.length}` });
      server.uploads.delete(id);
      response.end(`<R><ETag>"${sum}-${ordered.length}"</ETag></R>`);
      return;
    }
    if (method === 'PUT') {
      const object = objectOf(body, metadataIn(headers));
      objects.set(key, object);
      response.setHeader('etag', `"${object.etag}"`);
      response.end();
      return;
    }
    const object = objects.get(key);
    if (method === 'DELETE') {
      objects.delete(key);
      response.writeHead(204).end();
      return;
    }
    if (object === undefined) {
      tellError(response, 'NoSuchKey', isHead);
      return;
    }
    const match = headers['if-match'];
    if (match !== undefined && match !== `"${object.etag}"`) {
      tellError(response, 'PreconditionFailed', isHead);
      return;
    }
    const [, from = '0', to = String(object.bytes.length - 1)] =
      /bytes=(\d+)-(\d+)/.exec(headers.range ?? '') ?? [];
    const bytes = object.bytes.subarray(Number(from), Number(to) + 1);
    response.writeHead(headers.range ? 206 : 200, {
      etag: `"${object.etag}"`,
      'content-length': bytes.length,
      ...(headers.range && { 'content-range': `bytes ${from}-${to}/${object.bytes.length}` }),
      'last-modified': new Date(object.modifiedMs).toUTCString(),
      ...Object.fromEntries(
        Object.entries(object.metadata).map(([name, value]) => [`x-amz-meta-${name}`, value]),
      ),
    });
    if (isHead) {
      response.end();
      return;
    }
    if (isCut && bytes.length > 1) {
      response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
      return;
    }
    response.end(bytes);
  };

  const http = createServer(async (request, response) => {
    const [path = '', text = ''] = (request.url ?? '').split('?');
    const [, bucket, ...steps] = path.split('/').map(decodeURIComponent);
    const { method = '', headers } = request;
    const s3Request = { method, key: steps.join('/'), query: new URLSearchParams(text), headers };
    server.requests.push(s3Request);
    const body = await bodyOf(request).catch(() => undefined);
    if (body === undefined) return;
    const problem =
      signatureProblem(request, body) ?? (bucket === 'bkt' ? undefined : 'NoSuchBucket');
    if (problem) {
      tellError(response, problem, method === 'HEAD');
      return;
    }
    const fault = server.fault(s3Request);
    if (fault === 503) {
      tellError(response, 'SlowDown', method === 'HEAD');
      return;
    }
    if (fault === 'quota') {
      tellError(response, 'QuotaExceeded', method === 'HEAD');
      return;
    }
    if (fault === 'cut' && method !== 'GET') {
      request.socket.destroy();
      return;
    }
    if (typeof fault === 'object') {
      if ('code' in fault) tellError(response, fault.code, method === 'HEAD');
      else response.end(fault.text);
      return;
    }
    if (fault === 'lost') request.socket.destroy();
    if (fault === 'no ranges') delete headers.range;
    if (fault === 'damaged') body[0] = (body[0] ?? 0) ^ 1;
    answer({ ...s3Request, isCut: fault === 'cut' }, body, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const server: S3Server = {
    endpoint: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    objects: new Map(),
    uploads: new Map(),
    requests: [],
    isUnderKey: false,
    fault: () => undefined,
    put: (key, text, metadata = {}) => {
      server.objects?.set(key, objectOf(Buffer.from(text), metadata));
    },
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return server;
};
