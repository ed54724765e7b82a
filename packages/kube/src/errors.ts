/** The `Status` object of an API server: the description of a failure. */
export interface Status {
  readonly kind?: 'Status';
  readonly apiVersion?: 'v1';
  readonly status?: 'Failure' | 'Success';
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly {
      readonly reason?: string;
      readonly message?: string;
      readonly field?: string;
    }[];
  };
}

/** The reason of an `ApiError` about a kind or version that the server does not serve. */
export const NOT_SERVED = 'NotServed';

/** The server answered, and the answer is no. */
export class ApiError extends Error {
  readonly status: Status;

  constructor(status: Status) {
    super(status.message ?? status.reason ?? `the server answered ${status.code ?? 'an error'}`);
    this.name = 'ApiError';
    this.status = status;
  }

  get code(): number {
    return this.status.code ?? 0;
  }

  get reason(): string {
    return this.status.reason ?? '';
  }

  /** Delay that the server asks for; absent if it does not. */
  get retryAfterSeconds(): number | undefined {
    return this.status.details?.retryAfterSeconds;
  }
}

/** Kinds of failures of a connection. */
export type ConnectionFailure =
  | 'refused'
  | 'unknown-host'
  | 'unreachable'
  | 'timeout'
  /** Server and client do not trust each other's certificates, or one of them does not speak TLS. */
  | 'tls'
  | 'broken'
  /** The response is not one of an API server. */
  | 'unintelligible'
  /** The client itself was closed. */
  | 'closed';

/** The server could not be reached, or the conversation with it broke. */
export class ConnectionError extends Error {
  readonly failure: ConnectionFailure;

  constructor(message: string, options: ErrorOptions & { failure?: ConnectionFailure } = {}) {
    super(message, options);
    this.name = 'ConnectionError';
    this.failure = options.failure ?? 'broken';
  }
}

/** Something cannot be set up from what it was given: kubeconfig, credentials, names, addresses. */
export class ConfigError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConfigError';
  }
}

/** No server is configured; that is an error only for commands that need one. */
export class NoKubeconfigError extends ConfigError {
  constructor() {
    super(
      'there is no kubeconfig: name one with --kubeconfig or KUBECONFIG, or put it at ~/.kube/config',
    );
    this.name = 'NoKubeconfigError';
  }
}

const LONGEST_COMPLAINT = 500;

/** A text is not YAML, cannot be JSON, or is too much to be read. */
export class YamlError extends Error {
  constructor(message: string) {
    // Names in the text may be as long as the text.
    super(message.length > LONGEST_COMPLAINT ? `${message.slice(0, LONGEST_COMPLAINT)}…` : message);
    this.name = 'YamlError';
  }
}

/** The name stands for no kind that the server serves. */
export class UnknownKindError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnknownKindError';
  }
}

/** Only the leader may write, and this process is not, or may no longer be, the leader. */
export class NotLeaderError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotLeaderError';
  }
}

const hasReason = (error: unknown, code: number, reason: string): boolean =>
  error instanceof ApiError &&
  (error.reason === reason || (error.reason === '' && error.code === code));

export const isNotFound = (error: unknown): boolean => hasReason(error, 404, 'NotFound');
/** For the `catch` of a call to whose aim it makes no difference that the object is gone, such as a delete. */
export const ignoreNotFound = (error: unknown): undefined => {
  if (!isNotFound(error)) throw error;
};
/** The server does not know the kind or version at all; a missing object is `isNotFound`. */
export const isNotServed = (error: unknown): boolean => hasReason(error, 404, NOT_SERVED);
/** The server has authenticated the user, and denies the request. */
export const isForbidden = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 403;
export const isAlreadyExists = (error: unknown): boolean => hasReason(error, 409, 'AlreadyExists');
/** True if the server rejects the object itself: a retry would not help. */
export const isInvalid = (error: unknown): boolean => hasReason(error, 422, 'Invalid');
export const isConflict = (error: unknown): boolean => hasReason(error, 409, 'Conflict');
/** The resource version asked for is no longer kept: list again. */
export const isGone = (error: unknown): boolean => error instanceof ApiError && error.code === 410;
