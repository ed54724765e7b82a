import type { Writable } from 'node:stream';
import { ServerResponse } from '@perigee/kube/listen/node-http';
import { present } from '@perigee/schema/present';
import { readsGzip } from '../codec/negotiate/wants-gzip.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { forbiddenPath } from '../status/object-refusals.ts';
import { badRequest } from '../status/request-refusals.ts';
import { acceptWebSocket, isForeign } from '../websocket/handshake.ts';
import { lineSocket } from '../websocket/line-socket.ts';
import { type Exchange, headerOf } from './exchange.ts';
import { writeHead } from './reply.ts';
import type { ServedApi } from './served-api.ts';
import { gzipBody, plainBody, type WatchBody } from './watch-body.ts';

/** The length of compressed data reveals a secret that is compressed together with data of others. */
const isSecret = ({ group, plural }: ServedResource): boolean =>
  group === '' && plural === 'secrets';

/**
 * Opens the output of a watch, line by line: the body of the response, or a WebSocket if the client requests one.
 * Refuses a bad handshake at once; the response begins when the result is called.
 */
export const watchStream = (
  { authorize }: ServedApi,
  exchange: Exchange,
  resource: ServedResource,
): ((contentType: string, signal: AbortSignal) => WatchBody) => {
  const { request, response, upgrade } = exchange;
  if (upgrade === undefined || !(response instanceof ServerResponse)) {
    const isZipped = readsGzip(headerOf(exchange, 'accept-encoding')) && !isSecret(resource);
    return (contentType, signal) => {
      writeHead(exchange, 200, {
        'content-type': contentType,
        ...present({ 'content-encoding': isZipped ? 'gzip' : undefined }),
      });
      if ('flushHeaders' in response) response.flushHeaders();
      const stream = response as Writable;
      return isZipped ? gzipBody(stream, signal) : plainBody(stream, signal);
    };
  }
  if (authorize === undefined && isForeign(request.headers)) {
    throw forbiddenPath(
      'a page of another site may not watch a server that asks nobody who they are',
    );
  }
  const handshake = acceptWebSocket(request.headers);
  if ('problem' in handshake) throw badRequest(handshake.problem);
  return (_contentType, signal) => {
    const { socket, head } = upgrade;
    response.detachSocket(request.socket);
    socket.write(handshake.head);
    return plainBody(lineSocket(socket, head), signal);
  };
};
