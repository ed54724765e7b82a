import { createHash } from 'node:crypto';
import type { JsonObject } from '@perigee/schema/json';

/** A serialised document; its hash changes exactly when its content does. */
export interface ApiDocument {
  readonly body: string | Buffer;
  readonly hash: string;
  readonly etag: string;
  readonly contentType: string;
}

export interface JsonDocument extends ApiDocument {
  readonly body: string;
}

export const jsonDocument = (value: JsonObject, contentType = 'application/json'): JsonDocument => {
  const body = JSON.stringify(value);
  const hash = createHash('sha256').update(body).digest('hex').toUpperCase();
  return { body, hash, etag: `"${hash}"`, contentType };
};
