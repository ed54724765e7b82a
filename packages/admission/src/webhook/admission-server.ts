import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ending } from '@perigee/kube/listen/ending';
import { listening } from '@perigee/kube/listen/listening';
import { readAsStream } from '@perigee/kube/listen/read-as-stream';
import { TLS_SUITES } from '@perigee/kube/listen/tls-suites';
import type { Logger } from '@perigee/kube/observe/logger';
import { parseExactJson } from '@perigee/schema/exact-json';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { answerReview, type ReviewContext, type ReviewTask } from './answer-review.ts';

export interface AdmissionServerOptions extends ReviewContext {
  /** The serving certificate, which kube-apiserver has to trust, and its key, in PEM. */
  readonly tls: { readonly cert: string; readonly key: string };
  readonly host?: string;
  /** A free port by default. */
  readonly port?: number;
  readonly logger?: Pick<Logger, 'error'>;
}

/** The admission of the language as webhooks, until it is disposed. */
export interface AdmissionServer extends AsyncDisposable {
  readonly url: string;
}

/** Limit of a review: an object and the old one, each of the largest size in an API server. */
const LARGEST_REVIEW_BYTES = 8 * 1024 * 1024;

const TASKS: { readonly [path: string]: ReviewTask } = {
  '/mutate': 'mutate',
  '/validate': 'validate',
};

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?')[0] ?? '';

const readJson = async (request: IncomingMessage): Promise<JsonObject | undefined> => {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > LARGEST_REVIEW_BYTES) return undefined;
    parts.push(part);
  }
  try {
    const value = parseExactJson(Buffer.concat(parts).toString());
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

const send = (response: ServerResponse, code: number, body: string, type: string): void => {
  response.writeHead(code, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
};

const sendText = (response: ServerResponse, code: number, text: string): void =>
  send(response, code, `${text}\n`, 'text/plain; charset=utf-8');

const handle = async (
  context: ReviewContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const path = pathOf(request);
  if (path === '/healthz' || path === '/readyz') return sendText(response, 200, 'ok');
  const task = TASKS[path];
  if (task === undefined) return sendText(response, 404, 'post reviews to /mutate or /validate');
  if (request.method !== 'POST') return sendText(response, 405, 'a review is posted');
  const review = await readJson(request);
  const answer = review && (await answerReview(task, review, context));
  return answer === undefined
    ? sendText(response, 400, 'the body is no AdmissionReview of admission.k8s.io/v1')
    : send(response, 200, JSON.stringify(answer), 'application/json');
};

/** Starts the webhooks with the admission that the embedded server has built in. */
export const startAdmissionServer = async ({
  clock,
  isAllowed,
  admitBinding,
  queuesAround,
  operationsBefore,
  tls,
  host = '127.0.0.1',
  port = 0,
  logger,
}: AdmissionServerOptions): Promise<AdmissionServer> => {
  const context = {
    clock,
    isAllowed,
    ...present({ admitBinding, queuesAround, operationsBefore }),
  };
  const server = createServer({ ...TLS_SUITES, ...tls }, (request, response) => {
    handle(context, request, response).catch((error: unknown) => {
      logger?.error('a review failed', { error, path: pathOf(request) });
      if (response.headersSent) response.destroy();
      else sendText(response, 500, 'the review failed');
    });
  });
  const end = ending(server, clock);
  readAsStream(server);
  await listening(server, host, port);
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `https://${host.includes(':') ? `[${host}]` : host}:${own}`,
    [Symbol.asyncDispose]: () => end[Symbol.asyncDispose](),
  };
};
