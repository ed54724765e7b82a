import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ServerResponse } from '@perigee/kube/listen/node-http';
import type { Request, Response } from '../request/request.ts';
import { bearerOf } from '../websocket/handshake.ts';
import type { Exchange } from './exchange.ts';

/** False when an earlier request on the connection is yet to be answered. */
const tryAssign = (response: ServerResponse, socket: Socket): boolean => {
  try {
    response.assignSocket(socket);
    return true;
  } catch {
    return false;
  }
};

/** A WebSocket upgrade as a request with a normal response, after which the connection ends. */
export const answerable = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): [Request, Response, NonNullable<Exchange['upgrade']>] | undefined => {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  if (socket instanceof Socket && !tryAssign(response, socket)) return undefined;
  response.once('finish', () => socket.end());
  const authorization = request.headers.authorization ?? bearerOf(request.headers);
  if (authorization !== undefined) request.headers.authorization = authorization;
  return [request, response, { socket, head }];
};
