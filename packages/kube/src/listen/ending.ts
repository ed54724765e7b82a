import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../clock/clock.ts';

/** Requests without a response by then are cut off. */
const GRACE_MS = 5_000;

/**
 * Ends a server, when it is disposed, after the answers that are under way. Made before it listens. Node's
 * own methods leave out connections without a request so far.
 */
export const ending = (server: Server, clock: Clock): AsyncDisposable => {
  const sockets = new Set<Socket>();
  const answers = new Set<ServerResponse>();
  const idle = Promise.withResolvers<void>();
  let isEnding = false;
  const endIfIdle = (): void => {
    if (isEnding && answers.size === 0) idle.resolve();
  };
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    const onDone = (): void => {
      answers.delete(response);
      socket.off('close', onDone);
      endIfIdle();
    };
    answers.add(response);
    response.once('close', onDone);
    // An answer that waits for the one before it gets no event when its client is gone.
    socket.once('close', onDone);
  });
  return {
    [Symbol.asyncDispose]: async () => {
      const closing = new Promise<void>((resolve) => server.close(() => resolve()));
      isEnding = true;
      endIfIdle();
      using _ = clock.timer(GRACE_MS, idle.resolve);
      await idle.promise;
      for (const socket of sockets) socket.destroy();
      await closing;
    },
  };
};
