import type { Socket } from 'node:net';
import { IncomingMessage } from '@perigee/kube/listen/node-http';

/** Limit of pipelined requests per connection; reading pauses beyond it. */
const MOST_WAITING = 256;

interface Turn {
  readonly work: () => Promise<void>;
  readonly finish: () => void;
}

interface Connection {
  isBusy: boolean;
  readonly queue: Turn[];
}

/** Resumes reading, as for a request that expects more; unless Node itself has paused the socket. */
const readOn = (socket: Socket): void => void new IncomingMessage(socket).resume();

/**
 * Handles the pipelined requests of an HTTP/1 connection one by one. Their responses are in order anyway. Handled
 * at once, they would take the seats of other users, and most of them would be refused for it.
 */
export class ConnectionTurns {
  readonly #connections = new WeakMap<Socket, Connection>();
  readonly #closing: AbortSignal;

  /** @param closing Aborted when nothing more is to begin. */
  constructor(closing: AbortSignal) {
    this.#closing = closing;
  }

  /** Resolves when the work is done, or skipped because the connection or the server has ended. */
  take(socket: Socket, work: () => Promise<void>): Promise<void> {
    const connection = this.#connections.get(socket) ?? this.#open(socket);
    if (!connection.isBusy) {
      connection.isBusy = true;
      return work().then(() => this.#next(socket, connection));
    }
    const { promise, resolve: finish } = Promise.withResolvers<void>();
    connection.queue.push({ work, finish });
    if (connection.queue.length >= MOST_WAITING) socket.pause();
    return promise;
  }

  #open(socket: Socket): Connection {
    const connection: Connection = { isBusy: false, queue: [] };
    this.#connections.set(socket, connection);
    // Other code resumes the socket, too: Node does after the client has read responses.
    socket.on('resume', () => {
      if (connection.queue.length >= MOST_WAITING) socket.pause();
    });
    return connection;
  }

  #next(socket: Socket, connection: Connection): void {
    const turn = connection.queue.shift();
    if (turn === undefined) {
      connection.isBusy = false;
      return;
    }
    if (connection.queue.length === MOST_WAITING / 2) readOn(socket);
    const isOver = socket.destroyed || this.#closing.aborted;
    const work = isOver ? Promise.resolve() : turn.work();
    void work.then(() => {
      turn.finish();
      this.#next(socket, connection);
    });
  }
}
