import {
  ApiError,
  ConnectionError,
  isNotServed,
  NoKubeconfigError,
  UnknownKindError,
} from '@perigee/kube/errors';
import { RegistrationError, type RegistrationProblem } from '@perigee/registration/errors';
import { InvalidObjectError } from '@perigee/schema/errors';
import { EXIT, type ExitCode } from './exit-codes.ts';

/** A failed command with its exit code. */
export class CommandError extends Error {
  readonly code: ExitCode;

  constructor(code: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandError';
    this.code = code;
  }
}

/** A failure whose message was already printed; only its exit code is left to report. */
export class AlreadyReported extends Error {
  readonly code: ExitCode;

  constructor(code: ExitCode, message: string) {
    super(message);
    this.name = 'AlreadyReported';
    this.code = code;
  }
}

/** Some items of a request failed; each failure was already printed. */
export class PartialFailure extends AlreadyReported {
  constructor(code: ExitCode) {
    super(code, 'not everything worked');
    this.name = 'PartialFailure';
  }
}

const BY_STATUS: { readonly [code: number]: ExitCode } = {
  400: EXIT.invalid,
  401: EXIT.refused,
  403: EXIT.refused,
  404: EXIT.notFound,
  409: EXIT.conflict,
  412: EXIT.conflict,
  422: EXIT.invalid,
};

const BY_PROBLEM: { readonly [problem in RegistrationProblem]: ExitCode } = {
  NameTaken: EXIT.conflict,
  SameCluster: EXIT.conflict,
  Leaving: EXIT.conflict,
  NotRegistered: EXIT.notFound,
  HasWork: EXIT.conflict,
  Changed: EXIT.conflict,
  BadReference: EXIT.usage,
};

/** The exit code of an error. */
export const exitCodeOf = (error: unknown): ExitCode => {
  if (error instanceof AlreadyReported || error instanceof CommandError) return error.code;
  if (error instanceof ApiError) return BY_STATUS[error.code] ?? EXIT.failed;
  if (error instanceof UnknownKindError) return EXIT.notFound;
  if (error instanceof RegistrationError) return BY_PROBLEM[error.problem];
  if (error instanceof InvalidObjectError) return EXIT.invalid;
  if (error instanceof ConnectionError || error instanceof NoKubeconfigError) {
    return EXIT.unreachable;
  }
  return EXIT.failed;
};

interface Cause {
  readonly field?: string;
  readonly message?: string;
}

/** A line for each invalid field, unless the message already names the only one. */
const describeCauses = (error: Error): string => {
  const causes: readonly Cause[] =
    error instanceof ApiError ? (error.status.details?.causes ?? []) : [];
  const fieldCauses = causes.filter(({ field }) => field !== undefined && field !== '');
  const isNew =
    fieldCauses.length > 1 || fieldCauses.some(({ field = '' }) => !error.message.includes(field));
  return isNew ? fieldCauses.map(({ field, message }) => `\n  ${field}: ${message}`).join('') : '';
};

const hintFor = (error: Error): string => {
  if (error instanceof NoKubeconfigError) {
    return '; "perigee up" starts a control plane and writes one';
  }
  if (error instanceof RegistrationError && error.problem === 'HasWork') return ' (--force)';
  if (error instanceof RegistrationError && error.problem === 'NameTaken') return ' (--update)';
  return isNotServed(error) ? '; "perigee controllers --install-crds" brings those of Perigee' : '';
};

/** The message for the user, with the causes that add information. */
export const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const cause =
    error.cause instanceof Error && !error.message.includes(error.cause.message)
      ? ` (${describeError(error.cause)})`
      : '';
  return `${error.message}${hintFor(error)}${cause}${describeCauses(error)}`;
};
