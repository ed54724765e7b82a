export type RegistrationProblem =
  /** Another cluster, or another description of this one, has the name. */
  | 'NameTaken'
  /** The very same cluster is registered under another name. */
  | 'SameCluster'
  /** The cluster of that name is being unregistered. */
  | 'Leaving'
  | 'NotRegistered'
  /** Work is bound to the cluster. */
  | 'HasWork'
  /** The record has changed since the caller read it. */
  | 'Changed'
  /** The reference is neither a valid name nor a valid id. */
  | 'BadReference';

/** A registration, change or look-up that failed for a reason the caller can act on. */
export class RegistrationError extends Error {
  readonly problem: RegistrationProblem;

  constructor(problem: RegistrationProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RegistrationError';
    this.problem = problem;
  }
}

/** Narrows an error to a `RegistrationError`, optionally of one problem. */
export const isRegistrationError = (
  error: unknown,
  problem?: RegistrationProblem,
): error is RegistrationError =>
  error instanceof RegistrationError && (problem === undefined || error.problem === problem);

/** One invalid field or parameter of a request. */
export interface FieldProblem {
  readonly field: string;
  readonly detail: string;
}

export interface RestFailure {
  readonly detail: string;
  /** A machine-readable reason. */
  readonly reason?: string;
  readonly errors?: readonly FieldProblem[];
  readonly headers?: { readonly [name: string]: string };
}

/** A REST error with an HTTP status code of its own. */
export class RestError extends Error {
  readonly code: number;
  readonly failure: RestFailure;

  constructor(code: number, failure: RestFailure) {
    super(failure.detail);
    this.name = 'RestError';
    this.code = code;
    this.failure = failure;
  }
}
