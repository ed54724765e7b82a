import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { Exchange } from '../http/exchange.ts';
import type { RequestFacts } from './request-facts.ts';

/** A connection shows its certificate once, and has many requests. */
const certificates = new WeakMap<object, X509Certificate | undefined>();

const certificateOf = (
  socket: Partial<TLSSocket>,
  connection: object,
): X509Certificate | undefined => {
  if (certificates.has(connection)) return certificates.get(connection);
  const certificate = socket.getPeerX509Certificate?.();
  certificates.set(connection, certificate);
  return certificate;
};

/** What authentication needs to know about a request over HTTP. */
export const factsOf = ({ request, method, path, query }: Exchange): RequestFacts => {
  // Over HTTP/2 the socket is a stand-in that differs from session to session, like the session itself.
  const connection = 'stream' in request ? (request.stream.session ?? request) : request.socket;
  const certificate = certificateOf(request.socket as Partial<TLSSocket>, connection);
  const { rawHeaders } = request;
  return { method, path, query, rawHeaders, ...(certificate === undefined ? {} : { certificate }) };
};
