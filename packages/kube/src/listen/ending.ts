import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../clock/clock.ts';

/** Who has not got an answer by then does not get one. */
const GRACE_MS = 5_000;

/**
 * Ends a server, when it is disposed, after the answers that are under way. Made before it listens. Node's
 * own ways leave out those connections on which nobody has asked anything yet.
 */
export const ending = (server: Server, clock: Clock): AsyncDisposable => {
  const sockets = new Set<Socket>();
  const answers = new Set<ServerResponse>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', (_, response) => {
    answers.add(response);
    response.once('close', () => answers.delete(response));
  });
  const cutOff = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      using _ = clock.timer(GRACE_MS, cutOff);
      await Promise.all([...answers].map((response) => once(response, 'close')));
      cutOff();
      await closed;
    },
  };
};
