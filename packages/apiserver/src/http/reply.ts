import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { ApiError, type Status } from '@perigee/kube/errors';
import { warningHeaders } from '@perigee/kube/listen/warning-headers';
import { GZIP_LEVEL, wantsGzip } from '../codec/negotiate/wants-gzip.ts';
import type { Response } from '../request/request.ts';
import { internalError } from '../status/server-refusals.ts';
import { statusBody } from '../status/status-body.ts';
import { type Exchange, headerOf } from './exchange.ts';

export interface Reply {
  readonly code?: number;
  readonly contentType: string;
  readonly headers?: { readonly [name: string]: string };
  /** The body, or its parts in order, which are made one by one while the first are on their way. */
  readonly parts: readonly (string | Buffer)[] | AsyncIterable<string | Buffer>;
  /** About how many bytes that will be, when the parts are not there yet to be counted. */
  readonly estimatedBytes?: number;
}

/** Writes the head of an answer with what every answer has. */
export const writeHead = (
  { response, warnings, auditId, audit }: Exchange,
  code: number,
  headers: { readonly [name: string]: string | number },
): void => {
  const all: { [name: string]: string | number | string[] } = {
    ...headers,
    'audit-id': auditId,
    'cache-control': 'no-cache, private',
    'x-content-type-options': 'nosniff',
  };
  if (warnings.length > 0) all.warning = warningHeaders(warnings);
  (response as ServerResponse).writeHead(code, all);
  audit?.starts(code);
};

const writeAll = async (
  stream: Writable,
  parts: Reply['parts'],
  signal: AbortSignal,
): Promise<void> => {
  for await (const part of parts) {
    if (signal.aborted) return void stream.destroy();
    if (!stream.write(part)) await once(stream, 'drain', { signal }).catch(() => {});
  }
  stream.end();
};

const isWhole = (parts: Reply['parts']): parts is readonly (string | Buffer)[] =>
  Array.isArray(parts);

const countBytes = (parts: Reply['parts']): number | undefined =>
  isWhole(parts)
    ? parts.reduce<number>((bytes, part) => bytes + Buffer.byteLength(part), 0)
    : undefined;

/** A larger answer is not worth to be copied once more. */
const LARGEST_COPY_BYTES = 64 * 1024;

/**
 * One write with the head of the answer, which saves much of what a small answer costs. Node does that
 * for texts only: bytes become one whose characters stand for them.
 */
const writeWhole = (
  { response }: Exchange,
  parts: readonly (string | Buffer)[],
  bytes: number,
): void => {
  const to = response as ServerResponse;
  const [first = '', ...others] = parts;
  if (others.length === 0 && typeof first === 'string') return void to.end(first);
  const buffers = parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part));
  if (bytes > LARGEST_COPY_BYTES) return void to.end(Buffer.concat(buffers));
  to.end(buffers.map((part) => part.toString('latin1')).join(''), 'latin1');
};

/** Sends an answer; a large one in portions, and no faster than the client reads. */
export const sendReply = async (exchange: Exchange, reply: Reply): Promise<void> => {
  const { code = 200, contentType, headers = {}, parts, estimatedBytes } = reply;
  const { request, response, method } = exchange;
  const bytes = countBytes(parts);
  const isZipped = wantsGzip(headerOf(exchange, 'accept-encoding'), bytes ?? estimatedBytes ?? 0);
  writeHead(exchange, code, {
    'content-type': contentType,
    ...headers,
    ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
    ...(isZipped || bytes === undefined ? {} : { 'content-length': bytes }),
  });
  // An unread body, such as one that is too large, would block the connection.
  if (!request.complete) {
    response.once('finish', () => {
      if (!request.complete) request.destroy();
    });
  }
  if (method === 'HEAD') return void response.end();
  if (!isZipped && isWhole(parts)) return writeWhole(exchange, parts, bytes ?? 0);
  const { signal } = exchange;
  if (!isZipped) return writeAll(response as Response & Writable, parts, signal);
  const gzip = createGzip({ level: GZIP_LEVEL });
  gzip.pipe(response as Response & Writable);
  await writeAll(gzip, parts, signal);
};

/** A Status that answers for an error. What is not an answer is a fault of this server. */
export const statusOf = (error: unknown): Status =>
  error instanceof ApiError
    ? error.status
    : internalError(error instanceof Error ? error.message : String(error)).status;

export const sendStatus = (exchange: Exchange, status: Status): Promise<void> => {
  const { metadata = {} } = status as { readonly metadata?: object };
  const { retryAfterSeconds } = status.details ?? {};
  exchange.audit?.fails(status);
  return sendReply(exchange, {
    code: status.code ?? 200,
    contentType: 'application/json',
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    parts: [`${JSON.stringify({ ...statusBody(status), metadata })}\n`],
  });
};
