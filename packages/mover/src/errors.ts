/** Why a move failed: its exit code, and whether the same order may succeed later as it stands. */
export const FAILURES = {
  InvalidOrder: { exitCode: 2, retryable: false },
  SourceMissing: { exitCode: 10, retryable: false },
  SourceChanged: { exitCode: 11, retryable: true },
  SourceIncomplete: { exitCode: 12, retryable: true },
  PathOutside: { exitCode: 13, retryable: false },
  SymlinkOutside: { exitCode: 14, retryable: false },
  SpecialFile: { exitCode: 15, retryable: false },
  TooDeep: { exitCode: 16, retryable: false },
  Overlap: { exitCode: 17, retryable: false },
  TargetMissing: { exitCode: 18, retryable: false },
  TargetConflict: { exitCode: 19, retryable: false },
  TargetBusy: { exitCode: 20, retryable: true },
  DiskFull: { exitCode: 21, retryable: true },
  PermissionDenied: { exitCode: 22, retryable: false },
  VerificationFailed: { exitCode: 23, retryable: true },
  TooManyOpenFiles: { exitCode: 24, retryable: true },
  InputOutput: { exitCode: 25, retryable: true },
  EndpointUnavailable: { exitCode: 26, retryable: true },
  EndpointRefused: { exitCode: 27, retryable: false },
  EndpointUntrusted: { exitCode: 28, retryable: false },
  TooManyDeletions: { exitCode: 29, retryable: false },
  ProgramMissing: { exitCode: 30, retryable: false },
  BackupDamaged: { exitCode: 31, retryable: false },
  Internal: { exitCode: 70, retryable: false },
  Cancelled: { exitCode: 143, retryable: true },
} as const satisfies Record<string, { readonly exitCode: number; readonly retryable: boolean }>;

export type FailureReason = keyof typeof FAILURES;

/** A move that ends without having done what it was ordered. */
export class MoveError extends Error {
  readonly reason: FailureReason;
  /** The entry concerned, relative to the tree, as far as it can be written as text. */
  readonly path: string | undefined;

  constructor(reason: FailureReason, message: string, path?: string) {
    super(message);
    this.name = 'MoveError';
    this.reason = reason;
    this.path = path;
  }
}

export type Side = 'source' | 'target';

/**
 * - `Unavailable`: it may work later: no connection, a cut one, an overloaded server.
 * - `Missing`: there is no such bucket, object or page.
 * - `Denied`: these credentials may not.
 * - `Stale`: these credentials have expired; their issuer may have issued others since.
 * - `Changed`: the object is another one than before.
 * - `Full`: a quota or disk of the server.
 * - `Untrusted`: the server is not who it should be.
 * - `Refused`: anything else that would not be different the next time.
 */
export type EndpointProblem =
  | 'Unavailable'
  | 'Missing'
  | 'Denied'
  | 'Stale'
  | 'Changed'
  | 'Full'
  | 'Untrusted'
  | 'Refused';

/** An error of a server, or of the connection to it. */
export class EndpointError extends Error {
  readonly problem: EndpointProblem;
  /** The server's own word for it. */
  readonly serverCode: string;

  constructor(problem: EndpointProblem, message: string, serverCode = '') {
    super(message);
    this.name = 'EndpointError';
    this.problem = problem;
    this.serverCode = serverCode;
  }
}

/** Codes of Node.js for certificates that are not trusted. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/;

/** Codes of Node.js in words, with what is likely wrong. */
const HINTS: { readonly [code: string]: string } = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  EPROTO: 'it does not speak TLS: is it http://?',
};

/** Puts a failure of a connection into these terms. */
export const endpointErrorOf = (error: unknown): EndpointError => {
  if (error instanceof EndpointError) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (CERTIFICATE.test(code)) {
    return new EndpointError('Untrusted', `its certificate is not trusted (${code})`, code);
  }
  if (code.startsWith('HPE_')) {
    return new EndpointError('Unavailable', `its answer is no HTTP: ${message}`, code);
  }
  const hint = HINTS[code] === undefined ? '' : `, ${HINTS[code]}`;
  return new EndpointError('Unavailable', `no connection: ${code || message}${hint}`, code);
};

/** An error of the connection to a server, with its address. What failed besides, such as the source of a body, is left. */
export const connectionErrorOf = (error: unknown, origin: string): unknown => {
  if (error instanceof MoveError) return error;
  const { problem, message, serverCode } = endpointErrorOf(error);
  return new EndpointError(problem, `${origin}: ${message}`, serverCode);
};

const REASON_BY_PROBLEM: {
  readonly [problem in EndpointProblem]: readonly [FailureReason, FailureReason];
} = {
  Unavailable: ['EndpointUnavailable', 'EndpointUnavailable'],
  Missing: ['SourceMissing', 'TargetMissing'],
  Denied: ['PermissionDenied', 'PermissionDenied'],
  Stale: ['EndpointUnavailable', 'EndpointUnavailable'],
  Changed: ['SourceChanged', 'TargetConflict'],
  Full: ['DiskFull', 'DiskFull'],
  Untrusted: ['EndpointUntrusted', 'EndpointUntrusted'],
  Refused: ['EndpointRefused', 'EndpointRefused'],
};

const reasonOfProblem = (problem: EndpointProblem, side: Side): FailureReason =>
  REASON_BY_PROBLEM[problem][side === 'source' ? 0 : 1];

const REASON_BY_CODE: { readonly [code: string]: FailureReason } = {
  ENOSPC: 'DiskFull',
  EDQUOT: 'DiskFull',
  EACCES: 'PermissionDenied',
  EPERM: 'PermissionDenied',
  EROFS: 'PermissionDenied',
  EMFILE: 'TooManyOpenFiles',
  ENFILE: 'TooManyOpenFiles',
};

/** Errors of the file system for a name that stands for another entry than a moment before. */
const MOVED_UNDER_US = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST', 'ELOOP', 'ESTALE']);

const reasonOf = (code: string | undefined, side: Side): FailureReason => {
  if (code === undefined) return 'Internal';
  if (MOVED_UNDER_US.has(code)) return side === 'source' ? 'SourceChanged' : 'TargetConflict';
  return REASON_BY_CODE[code] ?? 'InputOutput';
};

/** Puts an error of the file system about an entry into our terms. */
export const moveErrorOf = (error: unknown, side: Side, path: string): MoveError => {
  if (error instanceof MoveError) return error;
  if (error instanceof EndpointError) {
    const reason = reasonOfProblem(error.problem, side);
    return new MoveError(reason, `${side} ${path || '.'}: ${error.message}`, path);
  }
  const { code, message } = error as NodeJS.ErrnoException;
  // The message of Node.js ends with the path by which we came there, which does not help a reader.
  const text = String(message ?? error).replace(/, \w+ '.*$/s, '');
  const user = code === 'EACCES' ? ` to the user ${process.getuid?.()}` : '';
  return new MoveError(reasonOf(code, side), `${side} ${path || '.'}: ${text}${user}`, path);
};

/** Runs an access to one entry; turns its errors into those of the mover. */
export const touching = <T>(side: Side, path: () => string, run: () => T): T => {
  const rethrow = (error: unknown): never => {
    throw moveErrorOf(error, side, path());
  };
  try {
    const result = run();
    return result instanceof Promise ? (result.catch(rethrow) as T) : result;
  } catch (error) {
    return rethrow(error);
  }
};
