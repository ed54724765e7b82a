import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export const ACCESS_KEY = 'AKIDEXAMPLE';
export const SECRET_KEY = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
export const REGION = 'eu-test-1';

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: Buffer | string, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();

/** Percent-encoded as signatures, and listings, want it. */
export const strict = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) =>
    `%${c.charCodeAt(0).toString(16)}`.toUpperCase(),
  );

/** Why a signature is not that of the owner of the keys, computed from what came over the wire. */
export const signatureProblem = (request: IncomingMessage, body: Buffer): string | undefined => {
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
