import type { FailureReason, Side } from '../errors.ts';

/**
 * - `Unavailable`: it may work later: no connection, a cut one, an overloaded server.
 * - `Missing`: there is no such bucket, object or page.
 * - `Denied`: these credentials may not.
 * - `Stale`: these credentials may not any more; whoever gives them out may have given others since.
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

/** What a server, or the way to it, has said. */
export class EndpointError extends Error {
  readonly problem: EndpointProblem;
  /** The server's own word for it. */
  readonly said: string;

  constructor(problem: EndpointProblem, message: string, said = '') {
    super(message);
    this.name = 'EndpointError';
    this.problem = problem;
    this.said = said;
  }
}

const REASONS: { readonly [problem in EndpointProblem]: readonly [FailureReason, FailureReason] } =
  {
    Unavailable: ['EndpointUnavailable', 'EndpointUnavailable'],
    Missing: ['SourceMissing', 'TargetMissing'],
    Denied: ['PermissionDenied', 'PermissionDenied'],
    Stale: ['EndpointUnavailable', 'EndpointUnavailable'],
    Changed: ['SourceChanged', 'TargetConflict'],
    Full: ['DiskFull', 'DiskFull'],
    Untrusted: ['EndpointUntrusted', 'EndpointUntrusted'],
    Refused: ['EndpointRefused', 'EndpointRefused'],
  };

export const reasonOfProblem = (problem: EndpointProblem, side: Side): FailureReason =>
  REASONS[problem][side === 'source' ? 0 : 1];

/** Codes of Node.js for certificates that are not trusted. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/;

/** Puts what happened on the way to a server into these terms. */
export const endpointErrorOf = (error: unknown): EndpointError => {
  if (error instanceof EndpointError) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  return CERTIFICATE.test(code)
    ? new EndpointError('Untrusted', `its certificate is not trusted (${code})`, code)
    : new EndpointError('Unavailable', `no connection: ${code || message}`, code);
};
