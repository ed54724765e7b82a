import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Joined to the client's key, this proves that the server speaks WebSocket (RFC 6455). */
const MAGIC = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const VERSION = '13';
const KEY = /^[A-Za-z0-9+/]{22}==$/;

/** Browsers cannot set headers, so a token is passed as a subprotocol. */
const BEARER = 'base64url.bearer.authorization.k8s.io.';

const listItems = (header: string | undefined): readonly string[] =>
  (header ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** True if a request is a WebSocket upgrade. */
export const wantsWebSocket = ({ upgrade, connection }: IncomingHttpHeaders): boolean =>
  upgrade?.toLowerCase() === 'websocket' &&
  listItems(connection).some((option) => option.toLowerCase() === 'upgrade');

const subprotocolsOf = (headers: IncomingHttpHeaders): readonly string[] =>
  listItems(headers['sec-websocket-protocol']);

/** The Authorization header of a token among the subprotocols. */
export const bearerOf = (headers: IncomingHttpHeaders): string | undefined => {
  const carrier = subprotocolsOf(headers).find((protocol) => protocol.startsWith(BEARER));
  if (carrier === undefined) return undefined;
  return `Bearer ${Buffer.from(carrier.slice(BEARER.length), 'base64url')}`;
};

/** A page of another site must not reach a server that does not ask who it is. */
export const isForeign = ({ origin, host }: IncomingHttpHeaders): boolean => {
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host;
};

/** The answer with which a request becomes a WebSocket, or what is wrong with the request. */
export const acceptWebSocket = (
  headers: IncomingHttpHeaders,
): { readonly head: string } | { readonly problem: string } => {
  const key = headers['sec-websocket-key'];
  if (headers['sec-websocket-version'] !== VERSION) {
    return { problem: `the version of WebSocket must be ${VERSION}` };
  }
  if (key === undefined || !KEY.test(key)) {
    return { problem: 'Sec-WebSocket-Key must be 16 bytes in base64' };
  }
  const protocol = subprotocolsOf(headers).find((name) => !name.startsWith(BEARER));
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${createHash('sha1')
      .update(key + MAGIC)
      .digest('base64')}`,
    ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
  ];
  return { head: `${lines.join('\r\n')}\r\n\r\n` };
};
