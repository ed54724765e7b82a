import { InvalidObjectError } from '@perigee/api/errors';
import {
  ApiError,
  ConnectionError,
  isNotServed,
  NoKubeconfigError,
  UnknownKindError,
} from '@perigee/kube/errors';
import { RegistrationError, type RegistrationProblem } from '@perigee/registration/errors';
import { EXIT, type ExitCode } from './exit-codes.ts';

/** The command cannot do what it was asked to; the code tells scripts what kind of failure it is. */
export class CommandError extends Error {
  readonly code: ExitCode;

  constructor(code: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandError';
    this.code = code;
  }
}

/** Everything has been told already; scripts still want to know the code. */
export class ToldAlready extends Error {
  readonly code: ExitCode;

  constructor(code: ExitCode, message: string) {
    super(message);
    this.name = 'ToldAlready';
    this.code = code;
  }
}

/** Of several things that were asked for, some could not be done; each has been told already. */
export class PartialFailure extends ToldAlready {
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

/** What an error means to a script. */
export const exitCodeOf = (error: unknown): ExitCode => {
  if (error instanceof ToldAlready || error instanceof CommandError) return error.code;
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

/** One line for each field that is wrong, unless the sentence names the only one already. */
const describeCauses = (error: Error): string => {
  const causes: readonly Cause[] =
    error instanceof ApiError ? (error.status.details?.causes ?? []) : [];
  const told = causes.filter(({ field }) => field !== undefined && field !== '');
  const isNew = told.length > 1 || told.some(({ field = '' }) => !error.message.includes(field));
  return isNew ? told.map(({ field, message }) => `\n  ${field}: ${message}`).join('') : '';
};

const hintFor = (error: Error): string => {
  if (error instanceof NoKubeconfigError) {
    return '; "perigee up" starts a control plane and writes one';
  }
  if (error instanceof RegistrationError && error.problem === 'HasWork') return ' (--force)';
  if (error instanceof RegistrationError && error.problem === 'NameTaken') return ' (--update)';
  return isNotServed(error) ? '; "perigee controllers --install-crds" brings those of Perigee' : '';
};

/** The sentence that a person sees, with the causes that add something. */
export const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const cause =
    error.cause instanceof Error && !error.message.includes(error.cause.message)
      ? ` (${describeError(error.cause)})`
      : '';
  return `${error.message}${hintFor(error)}${cause}${describeCauses(error)}`;
};
