import { sign, verify } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import type { SigningKey } from './signing-key.ts';

/** A parsed JSON Web Token. Nothing in it is trusted before its signature was verified. */
export interface Jwt {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  /** The signed text. */
  readonly content: string;
  readonly signature: Buffer;
}

const encode = (value: JsonValue): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

const decode = (part: string): JsonObject | undefined => {
  try {
    const value = JSON.parse(Buffer.from(part, 'base64url').toString()) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Signatures of elliptic curves have another form in tokens than in certificates. */
const keyOf = (key: SigningKey['publicKey'], { algorithm }: SigningKey) =>
  algorithm === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' as const } : key;

export const signJwt = (key: SigningKey, claims: JsonObject): string => {
  const content = `${encode({ alg: key.algorithm, kid: key.id })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(content), keyOf(key.privateKey, key));
  return `${content}.${signature.toString('base64url')}`;
};

const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/** Undefined when the text is no token of this sort. */
export const parseJwt = (token: string): Jwt | undefined => {
  const [, head = '', body = '', signature = ''] = COMPACT.exec(token) ?? [];
  const header = decode(head);
  const claims = decode(body);
  if (header === undefined || claims === undefined) return undefined;
  const bytes = Buffer.from(signature, 'base64url');
  return { header, claims, content: `${head}.${body}`, signature: bytes };
};

/** True if the key signed the token. The key decides on the algorithm; that of the header is ignored. */
export const isSignedBy = (key: SigningKey, { header, content, signature }: Jwt): boolean =>
  header.alg === key.algorithm &&
  (header.kid === undefined || header.kid === key.id) &&
  verify('sha256', Buffer.from(content), keyOf(key.publicKey, key), signature);
