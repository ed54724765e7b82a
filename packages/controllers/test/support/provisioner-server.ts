import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ProvisionerRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

export interface ProvisionerReply {
  readonly code?: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: unknown;
}

/** Gives an answer; or none, for as long as the promise takes. */
export type Reply = (request: ProvisionerRequest) => ProvisionerReply | Promise<ProvisionerReply>;

/** A provisioner on loopback that answers by a callback, and records its requests. */
export const startProvisionerServer = async (first: Reply) => {
  let reply = first;
  let underWay = 0;
  let most = 0;
  const requests: ProvisionerRequest[] = [];
  const server = createServer(async (incoming, outgoing) => {
    underWay += 1;
    most = Math.max(most, underWay);
    outgoing.on('close', () => {
      underWay -= 1;
    });
    const text = Buffer.concat(await Array.fromAsync(incoming)).toString('utf8');
    const { method = '', url: path = '', headers } = incoming;
    const request = { method, path, headers, body: text === '' ? undefined : JSON.parse(text) };
    requests.push(request);
    const { code = 200, headers: extra = {}, body } = await reply(request);
    const bodyText = typeof body === 'string' ? body : JSON.stringify(body ?? {});
    outgoing.writeHead(code, { 'content-type': 'application/json', ...extra }).end(bodyText);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    asked: requests,
    mostAtOnce: () => most,
    answer: (next: Reply) => {
      reply = next;
    },
    [Symbol.asyncDispose]: async () => {
      const close = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await close;
    },
  };
};
