import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server that answers each request as it is told, byte by byte as they are. */
export const serveRaw = async (
  answer: (socket: Socket, request: number, connection: number, bytes: Buffer) => void,
) => {
  let [requests, connections] = [0, 0];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const connection = ++connections;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => answer(socket, ++requests, connection, bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    get seen() {
      return { requests, connections };
    },
    /** Resolves when the other side has closed all connections. */
    closed: () => Promise.all([...sockets].map((socket) => once(socket.resume(), 'close'))),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** The message with which something fails. */
export const failureOf = async (run: () => Promise<unknown>): Promise<string> => {
  try {
    await run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it did not fail');
};
