/**
 * The HTTP of Node.js, without its module: to import that loads a whole second client (undici) for the names that it
 * has, in each thread. Loaded when it is needed.
 */
export const nodeHttp = () => process.getBuiltinModule('node:http');

/** For servers with TLS alone. */
export const nodeHttps = () => process.getBuiltinModule('node:https');
