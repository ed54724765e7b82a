import { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { forbiddenPath } from '../status/object-refusals.ts';
import { badRequest } from '../status/request-refusals.ts';
import { acceptWebSocket, isForeign } from '../websocket/handshake.ts';
import { lineSocket } from '../websocket/line-socket.ts';
import type { Exchange } from './exchange.ts';
import { writeHead } from './reply.ts';
import type { ServedApi } from './served-api.ts';

/**
 * What a watch is written to, line by line: the body of the answer, or a WebSocket if the client wants
 * one. Refuses a bad handshake at once; the answer begins when the result is called.
 */
export const watchStream = (
  { authorize }: ServedApi,
  exchange: Exchange,
): ((contentType: string) => Writable) => {
  const { request, response, upgrade } = exchange;
  if (upgrade === undefined || !(response instanceof ServerResponse)) {
    return (contentType) => {
      writeHead(exchange, 200, { 'content-type': contentType });
      if ('flushHeaders' in response) response.flushHeaders();
      return response as Writable;
    };
  }
  if (authorize === undefined && isForeign(request.headers)) {
    throw forbiddenPath(
      'a page of another site may not watch a server that asks nobody who they are',
    );
  }
  const accepted = acceptWebSocket(request.headers);
  if ('problem' in accepted) throw badRequest(accepted.problem);
  return () => {
    const { socket, head } = upgrade;
    response.detachSocket(request.socket);
    socket.write(accepted.head);
    return lineSocket(socket, head);
  };
};
