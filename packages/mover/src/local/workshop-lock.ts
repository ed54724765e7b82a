import { unlinkSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { MoveError } from '../errors.ts';

const listenAt = (path: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject).listen(path, () => resolve(server.unref()));
  });

const isHeld = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/**
 * Keeps other movers of this machine away, until it is disposed. A socket serves as the lock, because the kernel
 * lets go of it when its process is killed. A file system that has no sockets goes without.
 */
export const lockWorkshop = async (path: string): Promise<Disposable> => {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const server = await listenAt(path);
      return { [Symbol.dispose]: () => void server.close() };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') break;
      if (await isHeld(path)) {
        throw new MoveError('TargetBusy', 'another mover writes to this target');
      }
      unlinkSync(path);
    }
  }
  return { [Symbol.dispose]: () => {} };
};
