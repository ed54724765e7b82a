import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Clock } from '../clock/clock.ts';

/**
 * Closes an HTTP/2 connection whose peer has gone without a word (a pulled cable, a lost NAT entry).
 * Pings go out all the time, so a live peer sends at least their answers; one that sends nothing at
 * all between two looks is dead. HTTP/1.1 has no pings, so there silence means nothing.
 */
export const watchPeer = (socket: Socket, clock: Clock, deadAfterMs: number): void => {
  if (!(socket instanceof TLSSocket) || socket.alpnProtocol !== 'h2') return;
  if (!Number.isFinite(deadAfterMs)) return;
  let seenBytes = -1;
  let timer: Disposable | undefined;
  const look = (): void => {
    if (socket.bytesRead === seenBytes) {
      socket.destroy(new Error(`the peer has sent nothing for ${deadAfterMs} ms`));
      return;
    }
    seenBytes = socket.bytesRead;
    timer = clock.timer(deadAfterMs, look);
  };
  look();
  socket.once('close', () => timer?.[Symbol.dispose]());
};
