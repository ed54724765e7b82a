import { createHash, createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

export interface Credentials {
  readonly accessKey: string;
  readonly secretKey: string;
  /** Of credentials that end. */
  readonly sessionToken?: string;
}

/** A request before it is signed. */
export interface PlainRequest {
  readonly method: string;
  /** As it is sent: each step percent-encoded. */
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body, or UNSIGNED-PAYLOAD. */
  readonly payload: string;
}

export interface Signer {
  readonly credentials: Credentials | undefined;
  readonly region: string;
}

export const UNSIGNED = 'UNSIGNED-PAYLOAD';
export const EMPTY = createHash('sha256').digest('hex');

const UNRESERVED = /[^A-Za-z0-9\-._~]/;

/** Percent-encodes all but unreserved characters, as signatures want it. */
const encode = (text: string): string =>
  UNRESERVED.test(text)
    ? encodeURIComponent(text).replace(
        /[!'()*]/g,
        (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
      )
    : text;

export const encodePath = (path: string): string => path.split('/').map(encode).join('/');

export const encodeQuery = (query: Readonly<Record<string, string>>): string =>
  Object.keys(query)
    .sort()
    .map((name) => `${encode(name)}=${encode(query[name] ?? '')}`)
    .join('&');

const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();

/** Keys hold for a day; deriving one takes four rounds, so that the last is kept. */
const keys = new WeakMap<Credentials, { readonly scope: string; readonly key: KeyObject }>();

const keyFor = (credentials: Credentials, day: string, region: string): KeyObject => {
  const scope = `${day}/${region}`;
  const last = keys.get(credentials);
  if (last?.scope === scope) return last.key;
  const bytes = ['s3', 'aws4_request'].reduce(
    (above, text) => hmac(above, text),
    hmac(hmac(`AWS4${credentials.secretKey}`, day), region),
  );
  const key = createSecretKey(bytes);
  keys.set(credentials, { scope, key });
  return key;
};

/** The headers of a request with its signature (AWS Signature Version 4). Without credentials it is anonymous. */
export const signRequest = (
  { method, path, query, headers, payload }: PlainRequest,
  { credentials, region }: Signer,
  nowMs: number,
): Record<string, string> => {
  if (credentials === undefined) return { ...headers };
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const signedHeaders: Record<string, string> = {
    ...headers,
    'x-amz-content-sha256': payload,
    'x-amz-date': time,
    ...(credentials.sessionToken && { 'x-amz-security-token': credentials.sessionToken }),
  };
  const names = Object.keys(signedHeaders).sort();
  const list = names.join(';');
  const lines = names.map((name) => `${name}:${signedHeaders[name]?.trim()}\n`).join('');
  const canonical = `${method}\n${path}\n${query}\n${lines}\n${list}\n${payload}`;
  const scope = `${day}/${region}/s3/aws4_request`;
  const sum = hash('sha256', canonical);
  const signature = createHmac('sha256', keyFor(credentials, day, region))
    .update(`AWS4-HMAC-SHA256\n${time}\n${scope}\n${sum}`)
    .digest('hex');
  signedHeaders.authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKey}/${scope},SignedHeaders=${list},Signature=${signature}`;
  return signedHeaders;
};
