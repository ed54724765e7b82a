import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { isJsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { ApiError, NOT_SERVED, type Status } from '../errors.ts';
import { MAYBE_DONE } from './connection-failure.ts';

export interface FailedAnswer {
  readonly code: number;
  readonly body: string;
  /** Delay of the Retry-After header. */
  readonly retryAfterSeconds?: number;
}

export interface FailureContext {
  /** The server's URL and where the configuration stands. */
  readonly where: string;
  readonly read: boolean;
  /** Kind of the requested resource, if any. */
  readonly kind?: ResourceKind;
}

const LONGEST_TEXT = 300;

/** The Status in an answer. Proxies and unknown groups answer in plain text or HTML instead. */
const statusOf = ({ code, body }: FailedAnswer): Status => {
  try {
    const content: unknown = JSON.parse(body);
    if (isJsonObject(content) && content.kind === 'Status') return { code, ...(content as Status) };
  } catch {
    // Not JSON: the text itself is the best message there is.
  }
  const text = body.trim();
  const readable = text !== '' && text.length <= LONGEST_TEXT && !text.startsWith('<');
  return { code, ...present({ message: readable ? text : undefined }) };
};

const describeKind = ({ group, version, plural }: ResourceKind): string =>
  `${group === '' ? plural : `${plural}.${group}`} in version ${version}`;

const explain = (status: Status, { where, read, kind }: FailureContext): Status => {
  const { code = 0, details } = status;
  const reasonText = status.message ?? status.reason ?? `HTTP status ${code}`;
  if (code === 401) {
    const message = `${where} does not accept the credentials (${reasonText}): they are missing, wrong or expired; log in again, or correct the user in the kubeconfig`;
    return { ...status, reason: 'Unauthorized', message };
  }
  if (code === 403) {
    const message = `${reasonText}; ask an administrator of ${where} for a role that allows it`;
    return { ...status, reason: 'Forbidden', message };
  }
  if (code === 404 && details?.name === undefined && kind) {
    const message = `${where} does not serve ${describeKind(kind)}; install its CustomResourceDefinition there, or use a version that it serves`;
    return { ...status, reason: NOT_SERVED, message };
  }
  const fullMessage = `${where} answered: ${reasonText}`;
  if (code >= 500 && !read && details?.retryAfterSeconds === undefined) {
    return { ...status, message: `${fullMessage}; ${MAYBE_DONE}` };
  }
  return status.message === undefined || code >= 500 ? { ...status, message: fullMessage } : status;
};

/** The error with the meaning of the server's answer and, where possible, what to do. */
export const apiFailure = (answer: FailedAnswer, context: FailureContext): ApiError => {
  const status = statusOf(answer);
  const wait = answer.retryAfterSeconds ?? status.details?.retryAfterSeconds;
  const complete =
    wait === undefined
      ? status
      : { ...status, details: { ...status.details, retryAfterSeconds: wait } };
  return new ApiError(explain(complete, context));
};
