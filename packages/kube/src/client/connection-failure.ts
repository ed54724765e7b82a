import { ConnectionError, type ConnectionFailure } from '../errors.ts';

/** Enough of the request for a message: what failed, where, and whether it may have had an effect. */
export interface RequestContext {
  /** The server's URL and where the configuration stands. */
  readonly where: string;
  readonly host: string;
  /** True for a request that changes nothing. */
  readonly read: boolean;
}

interface Diagnosis {
  readonly failure: ConnectionFailure;
  readonly message: (host: string) => string;
}

const REFUSED: Diagnosis = {
  failure: 'refused',
  message: () =>
    'the connection was refused; check that the server runs and that the port is right',
};
const UNKNOWN_HOST: Diagnosis = {
  failure: 'unknown-host',
  message: (host) => `the host name ${host} is unknown; check the address and the network's DNS`,
};
const UNREACHABLE: Diagnosis = {
  failure: 'unreachable',
  message: () => 'there is no route to it; check the address, the network and the VPN',
};
const NO_CONNECTION: Diagnosis = {
  failure: 'timeout',
  message: () => 'nothing answers there in time; check the address, the network and firewalls',
};
const NO_ANSWER: Diagnosis = {
  failure: 'timeout',
  message: () =>
    'it accepted the request but did not answer in time; check that the server is healthy',
};
const UNTRUSTED: Diagnosis = {
  failure: 'tls',
  message: () =>
    'its certificate is not signed by an authority that is trusted here; set certificate-authority to the CA of this cluster',
};
const EXPIRED: Diagnosis = {
  failure: 'tls',
  message: () => "its certificate has expired; renew it there, or correct this machine's clock",
};
const NOT_YET_VALID: Diagnosis = {
  failure: 'tls',
  message: () => "its certificate is not valid yet; correct this machine's clock or the server's",
};
const WRONG_NAME: Diagnosis = {
  failure: 'tls',
  message: (host) =>
    `its certificate is not for ${host}; use a name that it is for, or set tls-server-name to one`,
};
const CLIENT_REFUSED: Diagnosis = {
  failure: 'tls',
  message: () =>
    "it refuses the client certificate; check that the certificate is present, not expired and signed by the cluster's client CA",
};
const NOT_TLS: Diagnosis = {
  failure: 'tls',
  message: () => 'it does not speak TLS there; check the port, or use http:// for a plain server',
};
const PROXY: Diagnosis = {
  failure: 'unreachable',
  message: () => 'the proxy does not let the connection through; check proxy-url',
};
const HANDSHAKE: Diagnosis = {
  failure: 'tls',
  message: () => 'no TLS connection comes about; check that TLS 1.2 or newer is enabled there',
};
const DISMISSED: Diagnosis = {
  failure: 'broken',
  message: () =>
    'it closed the connection without a word; check that it is an API server, and healthy, and that it accepts the client certificate',
};
const TOO_LARGE: Diagnosis = {
  failure: 'unintelligible',
  message: () =>
    'its answer is larger than an API server sends; check that one is there, or ask for less at once',
};
const CLOSED: Diagnosis = { failure: 'closed', message: () => 'the client has been closed' };
const BROKEN: Diagnosis = { failure: 'broken', message: () => 'the connection broke' };

const BY_CODE: { readonly [code: string]: Diagnosis } = {
  ECONNREFUSED: REFUSED,
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  ETIMEDOUT: NO_CONNECTION,
  UND_ERR_CONNECT_TIMEOUT: NO_CONNECTION,
  UND_ERR_HEADERS_TIMEOUT: NO_ANSWER,
  UND_ERR_BODY_TIMEOUT: NO_ANSWER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
  CERT_UNTRUSTED: UNTRUSTED,
  CERT_HAS_EXPIRED: EXPIRED,
  CERT_NOT_YET_VALID: NOT_YET_VALID,
  ERR_TLS_CERT_ALTNAME_INVALID: WRONG_NAME,
  HOSTNAME_MISMATCH: WRONG_NAME,
  ERR_SSL_WRONG_VERSION_NUMBER: NOT_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NOT_TLS,
  UND_ERR_PRX_TLS: PROXY,
  UND_ERR_PRX_CONN: PROXY,
  UND_ERR_RES_EXCEEDED_MAX_SIZE: TOO_LARGE,
  UND_ERR_CLOSED: CLOSED,
  UND_ERR_DESTROYED: CLOSED,
};

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null;

const codesOf = (error: unknown): readonly string[] => {
  if (!(error instanceof Error)) return [];
  const own = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  const inner = error instanceof AggregateError ? error.errors : [error.cause];
  return [...own, ...inner.flatMap(codesOf)];
};

/** With TLS 1.3 a server refuses a certificate only after the handshake. */
const isDismissal = (error: unknown): boolean =>
  isObject(error) && isObject(error.socket) && error.socket.bytesRead === 0;

const isRefusalOfProxy = (error: unknown): boolean =>
  codesOf(error)[0] === 'UND_ERR_ABORTED' &&
  error instanceof Error &&
  error.message.startsWith('Proxy response');

const UNSENDABLE: ReadonlySet<string> = new Set(['UND_ERR_INVALID_ARG', 'ERR_INVALID_CHAR']);

/** True if the request could not even be written down. */
export const isUnsendable = (error: unknown): boolean => UNSENDABLE.has(codesOf(error)[0] ?? '');

const diagnose = (error: unknown): Diagnosis => {
  if (isRefusalOfProxy(error)) return PROXY;
  for (const code of codesOf(error)) {
    const explanation = BY_CODE[code];
    if (explanation) return explanation;
    if (/ALERT_.*(CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/.test(code)) return CLIENT_REFUSED;
    if (code.startsWith('ERR_SSL_')) return HANDSHAKE;
  }
  return isDismissal(error) ? DISMISSED : BROKEN;
};

/** Message for a write whose response was lost. */
export const MAYBE_DONE =
  'the change may have been made all the same: read the object before you try again';

const mayHaveArrived = (diagnosis: Diagnosis): boolean =>
  [BROKEN, DISMISSED, NO_ANSWER, TOO_LARGE].includes(diagnosis);

/** One sentence about a failure between the client and the server, and what to do about it. */
export const connectionError = (error: unknown, context: RequestContext): ConnectionError => {
  const diagnosis = diagnose(error);
  const sentence = `cannot use ${context.where}: ${diagnosis.message(context.host)}`;
  return new ConnectionError(
    !context.read && mayHaveArrived(diagnosis) ? `${sentence}; ${MAYBE_DONE}` : sentence,
    { cause: error, failure: diagnosis.failure },
  );
};
