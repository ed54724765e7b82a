import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '@perigee/kube/errors';
import { hostProblem } from '@perigee/kube/listen/host-problem';
import { warningHeaders } from '@perigee/kube/listen/warning-headers';
import { RestError } from '../errors.ts';
import type { RestReply, RestRequest } from '../rest/exchange.ts';

const LARGEST_BODY_BYTES = 3 * 1024 * 1024;

const tooLarge = (): ApiError =>
  new ApiError({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `the body may have ${LARGEST_BODY_BYTES} bytes at most`,
  });

const readBody = async (request: IncomingMessage): Promise<Uint8Array> => {
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_BODY_BYTES) throw tooLarge();
  const parts: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop early must not destroy the request: its connection closes after the reply.
  const reading: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  for await (const part of reading) {
    bytes += part.length;
    if (bytes > LARGEST_BODY_BYTES) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
};

/** The scheme and the host that a request target may begin with (RFC 9112); the Host header is checked instead. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

const decodePath = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

/** Converts an HTTP request for the REST API, except the fields that depend on the caller. */
export const requestOf = (
  request: IncomingMessage,
  signal: AbortSignal,
): Omit<RestRequest, 'client' | 'yieldTurn'> => {
  const { method = 'GET', url = '/', headers, rawHeaders } = request;
  const problem = hostProblem(rawHeaders);
  if (problem !== undefined) {
    throw new ApiError({ code: 400, reason: 'BadRequest', message: problem });
  }
  const [path = '', ...query] = url.replace(ORIGIN, '').split('?');
  return {
    method,
    path: decodePath(path),
    query: new URLSearchParams(query.join('?')),
    headers,
    body: () => readBody(request),
    signal,
  };
};

/**
 * The `Authorization` header. Throws 401 without a bearer token, and 400 for impersonation, which is not
 * forwarded.
 */
export const authorizationOf = ({ headers }: IncomingMessage): string => {
  const { authorization = '' } = headers;
  if (!/^bearer +\S+$/i.test(authorization.trim())) {
    throw new ApiError({ code: 401, reason: 'Unauthorized', message: 'there is no bearer token' });
  }
  const disguise = Object.keys(headers).find((name) => name.startsWith('impersonate-'));
  if (disguise !== undefined) {
    throw new RestError(400, {
      reason: 'BadHeader',
      detail: `the header ${disguise} is not handed on: ask with a token of that user`,
      errors: [{ field: disguise, detail: 'is not possible here' }],
    });
  }
  return authorization.trim();
};

export const sendReply = (
  request: IncomingMessage,
  response: ServerResponse,
  { code, headers, body, warnings = [] }: RestReply,
): void => {
  if (warnings.length > 0) response.setHeader('warning', warningHeaders(warnings));
  response.writeHead(code, {
    ...headers,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-cache, private',
    'x-content-type-options': 'nosniff',
  });
  // An unread body, such as one that is too large, would block the connection.
  response.once('finish', () => {
    if (!request.complete) request.destroy();
  });
  response.end(request.method === 'HEAD' ? undefined : body);
};
