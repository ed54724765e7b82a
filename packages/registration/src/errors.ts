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
  /** The record is not the one that the caller has seen. */
  | 'Changed'
  /** What is meant to be a name or an id can be neither. */
  | 'BadReference';

/** A cluster could not be registered, unregistered or found, and the caller can do something about it. */
export class RegistrationError extends Error {
  readonly problem: RegistrationProblem;

  constructor(problem: RegistrationProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RegistrationError';
    this.problem = problem;
  }
}

/** Whether an error tells of a problem with a registration; of a certain one, if that is given. */
export const isRegistrationError = (
  error: unknown,
  problem?: RegistrationProblem,
): error is RegistrationError =>
  error instanceof RegistrationError && (problem === undefined || error.problem === problem);

/** What is wrong with one field or parameter of a request. */
export interface FieldProblem {
  readonly field: string;
  readonly detail: string;
}

export interface RestFailure {
  readonly detail: string;
  /** A word for programs. */
  readonly reason?: string;
  readonly errors?: readonly FieldProblem[];
  readonly headers?: { readonly [name: string]: string };
}

/** A request of the REST API that is answered with a code of its own. */
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
