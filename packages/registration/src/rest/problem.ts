import { ApiError, ConnectionError, isNotServed } from '@perigee/kube/errors';
import { STATUS_CODES } from '@perigee/kube/listen/node-http';
import { InvalidObjectError } from '@perigee/schema/errors';
import {
  type FieldProblem,
  RegistrationError,
  type RegistrationProblem,
  RestError,
  type RestFailure,
} from '../errors.ts';
import { profilePath } from '../profile/profile-names.ts';
import type { RestReply } from './exchange.ts';

const CODES: { readonly [problem in RegistrationProblem]: number } = {
  BadReference: 400,
  NotRegistered: 404,
  NameTaken: 409,
  SameCluster: 409,
  Leaving: 409,
  HasWork: 412,
  Changed: 412,
};

/** Codes that the API server returns while it is overloaded or not ready; worth a retry. */
const PASSING: readonly number[] = [503, 504];
const RETRY_SECONDS = 5;
const WHO_ARE_YOU =
  'nobody knows who you are: send a valid token of the API server in the header "Authorization: Bearer <token>"';
const CHALLENGE = { 'www-authenticate': 'Bearer realm="perigee"' };

interface Problem extends RestFailure {
  readonly code: number;
}

const unavailable = (detail: string, seconds = RETRY_SECONDS): Problem => ({
  code: 503,
  reason: 'NotReady',
  detail,
  headers: { 'retry-after': String(seconds) },
});

/** Kubernetes repeats the path in some messages, and has `<nil>` for errors without a field. */
const PATH_IN_WORDS = /(?<!\S)(?:spec|metadata)\S* in body /;
const NO_FIELD = '<nil>';

/** A body can have more wrong fields than anybody reads, and a value as long as itself. */
const MOST_FIELDS = 64;
const LONGEST_DETAIL = 1024;

interface Cause {
  readonly field?: string;
  readonly message?: string;
}

const shortened = (text: string): string =>
  text.length > LONGEST_DETAIL ? `${text.slice(0, LONGEST_DETAIL)}…` : text;

/** The problems of the fields of a body, or of the whole of it if no cause names a field. */
const invalid = (causes: readonly Cause[], whole: string): Problem => {
  const ofFields = causes.filter(({ field = NO_FIELD }) => field !== NO_FIELD);
  const errors = ofFields.slice(0, MOST_FIELDS).map(
    ({ field = '', message = '' }): FieldProblem => ({
      field: shortened(profilePath(field)),
      detail: shortened(message.replace(PATH_IN_WORDS, '')),
    }),
  );
  if (errors.length === 0) return { code: 400, reason: 'Invalid', detail: shortened(whole) };
  const more = ofFields.length - errors.length;
  const lines = errors.map(({ field, detail }) => `${field}: ${detail}`);
  const detail = [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
  return { code: 400, reason: 'Invalid', detail, errors };
};

const problemOfApi = (error: ApiError): Problem => {
  const { code, message: detail, reason, retryAfterSeconds } = error;
  if (isNotServed(error)) return unavailable(`the inventory is not there yet: ${detail}`);
  if (PASSING.includes(code)) return unavailable(detail, retryAfterSeconds);
  if (code === 422) return invalid(error.status.details?.causes ?? [], detail);
  return {
    // An error without an HTTP status code is a server error.
    code: code >= 400 ? code : 500,
    reason,
    ...(code === 401 ? { detail: WHO_ARE_YOU, headers: CHALLENGE } : { detail }),
    ...(retryAfterSeconds === undefined
      ? {}
      : { headers: { 'retry-after': String(retryAfterSeconds) } }),
  };
};

const problemOf = (error: unknown): Problem => {
  if (error instanceof RestError) return { code: error.code, ...error.failure };
  if (error instanceof InvalidObjectError) {
    return invalid(error.errors, error.errors[0]?.message ?? '');
  }
  if (error instanceof RegistrationError) {
    return { code: CODES[error.problem], reason: error.problem, detail: error.message };
  }
  if (error instanceof ApiError) return problemOfApi(error);
  if (error instanceof ConnectionError) {
    return unavailable(`the API server cannot be reached: ${error.failure}`);
  }
  return { code: 500, reason: 'InternalError', detail: 'the server failed; its log says why' };
};

/** The reply to a failed request, in the form of RFC 9457. */
export const problemReply = (error: unknown): RestReply => {
  const { code, reason, detail, errors, headers = {} } = problemOf(error);
  const title = STATUS_CODES[code] ?? 'Error';
  const content = { type: 'about:blank', title, status: code, detail, reason, errors };
  return {
    code,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: `${JSON.stringify(content)}\n`,
  };
};
