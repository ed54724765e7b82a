import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { present } from '@perigee/schema/present';
import type { RequestFacts } from '../authn/request-facts.ts';
import { isForeign } from '../websocket/handshake.ts';
import type { Exchange } from './exchange.ts';

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

/** The input of authentication from a request over HTTP. */
export const factsOf = (exchange: Exchange): RequestFacts => {
  const { request, method, path, query, upgrade, audit } = exchange;
  const { rawHeaders, headers } = request;
  // Over HTTP/2 the socket is a stand-in that differs from session to session, like the session itself.
  const connection = 'stream' in request ? (request.stream.session ?? request) : request.socket;
  // A browser shows its certificate for the pages of others, too, and lets them read a WebSocket.
  const isTrapped = upgrade !== undefined && isForeign(headers);
  const certificate = isTrapped
    ? undefined
    : certificateOf(request.socket as Partial<TLSSocket>, connection);
  return {
    method,
    path,
    query,
    rawHeaders,
    ...present({ authorization: headers.authorization, certificate, audit }),
  };
};
