import type * as http from 'node:http';

/**
 * Node's HTTP server. An import by the name of its module would read each of the exports, among them getters that
 * load the whole of fetch and WebSocket: 14 MB that nothing here uses.
 */
export const { createServer, IncomingMessage, ServerResponse, STATUS_CODES } =
  process.getBuiltinModule('node:http');

export type ServerResponse = http.ServerResponse;
