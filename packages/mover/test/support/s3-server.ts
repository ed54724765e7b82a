import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

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
  fault: (request: S3Request) => Fault;
  put(key: string, text: string | Buffer, metadata?: { [name: string]: string }): void;
}

export const ACCESS_KEY = 'AKIDEXAMPLE';
export const SECRET_KEY = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const REGION = 'eu-test-1';
const PAGE = 3;

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');
const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: Buffer | string, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();

const strict = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) =>
    `%${c.charCodeAt(0).toString(16)}`.toUpperCase(),
  );

/** Why a signature is not that of the owner of the keys, computed from what came over the wire. */
const signatureProblem = (request: IncomingMessage, body: Buffer): string | undefined => {
  const { method = '', url = '', headers } = request;
  const authorization = headers.authorization ?? '';
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      authorization,
    );
  if (!parts) return 'AccessDenied';
  const [, key, day = '', region = '', names = '', signature] = parts;
  if (key !== ACCESS_KEY) return 'InvalidAccessKeyId';
  if (region !== REGION) return 'AuthorizationHeaderMalformed';
  if (!names.split(';').includes('host')) return 'AccessDenied';
  const payload = String(headers['x-amz-content-sha256']);
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== sha256(body))
    return 'XAmzContentSHA256Mismatch';
  const [path = '', query = ''] = url.split('?');
  const canonicalQuery = [...new URLSearchParams(query)]
    .map(([name, value]) => `${strict(name)}=${strict(value)}`)
    .sort()
    .join('&');
  const lines = names
    .split(';')
    .map((name) => `${name}:${String(headers[name]).trim()}\n`)
    .join('');
  const canonical = [method, path, canonicalQuery, lines, names, payload].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const signing = ['s3', 'aws4_request'].reduce(
    (above: Buffer, next) => hmac(above, next),
    hmac(hmac(`AWS4${SECRET_KEY}`, day), region),
  );
  return hmac(signing, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
};

const xml = (text: string): string =>
  text.replace(
    /[&<>"]/g,
    (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] ?? c,
  );

const STATUS: { readonly [code: string]: number } = {
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  PreconditionFailed: 412,
  SlowDown: 503,
  AuthorizationHeaderMalformed: 400,
  XAmzContentSHA256Mismatch: 400,
  QuotaExceeded: 403,
  BadDigest: 400,
  RequestTimeout: 400,
  OperationAborted: 409,
};

const tellError = (response: ServerResponse, code: string, isHead: boolean): void => {
  const more = code === 'AuthorizationHeaderMalformed' ? `<Region>${REGION}</Region>` : '';
  const text = `<Error><Code>${code}</Code><Message>no</Message>${more}</Error>`;
  response.writeHead(STATUS[code] ?? 403, isHead ? {} : { 'content-length': text.length });
  response.end(isHead ? undefined : text);
};

/** Keys in the order of their bytes, page by page. */
const list = (objects: Map<string, StoredObject>, query: URLSearchParams): string => {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter');
  const after = query.get('continuation-token') ?? '';
  const size = Math.min(PAGE, Number(query.get('max-keys') ?? PAGE));
  const keys = [...objects.keys()]
    .filter((key) => key.startsWith(prefix))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const items = new Map<string, string>();
  for (const key of keys) {
    const at = delimiter ? key.indexOf(delimiter, prefix.length) : -1;
    const object = objects.get(key)!;
    if (at !== -1) {
      const common = key.slice(0, at + 1);
      items.set(common, `<CommonPrefixes><Prefix>${strict(common)}</Prefix></CommonPrefixes>`);
    } else {
      const time = new Date(object.modifiedMs).toISOString();
      items.set(
        key,
        `<Contents><Key>${strict(key)}</Key><Size>${object.bytes.length}</Size><ETag>&quot;${object.etag}&quot;</ETag><LastModified>${time}</LastModified></Contents>`,
      );
    }
  }
  const remainingItems = [...items].filter(
    ([key]) => after === '' || Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0,
  );
  const page = remainingItems.slice(0, size);
  const isCut = remainingItems.length > page.length;
  const next = isCut
    ? `<NextContinuationToken>${xml(page.at(-1)?.[0] ?? '')}</NextContinuationToken>`
    : '';
  return `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${isCut}</IsTruncated>${next}${page.map(([, text]) => text).join('')}</ListBucketResult>`;
};

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
    return { bytes, etag: md5(bytes), metadata, modifiedMs: times };
  };

  const answer = (
    request: S3Request & { readonly isCut: boolean },
    body: Buffer,
    response: ServerResponse,
  ): void => {
    const { method, key, query, headers, isCut } = request;
    const isHead = method === 'HEAD';
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
      objects.set(key, objectOf(body, metadataIn(headers)));
      response.setHeader('etag', `"${md5(body)}"`);
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
    answer({ ...s3Request, isCut: fault === 'cut' }, body, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const server: S3Server = {
    endpoint: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    objects: new Map(),
    uploads: new Map(),
    requests: [],
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
