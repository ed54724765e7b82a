import type { Server } from 'node:tls';

const ignore = (): void => {};

/**
 * Lets a server with TLS answer clients of HTTP/1 that send requests faster than they take answers. Node's
 * parser reads from the connection itself, is paused then, and fails on what was already decrypted. As soon
 * as somebody listens to the connection, it reads as a stream, which keeps that for later.
 */
export const readAsStream = (server: Pick<Server, 'on'>): void => {
  server.on('secureConnection', (socket) => {
    if (socket.alpnProtocol !== 'h2') socket.on('data', ignore);
  });
};
