import { once } from 'node:events';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '@perigee/schema/json';
import { createAuthority } from '../../../kube/test/support/certificates.ts';

/** A webhook's answer: an object, a status with a text, or nothing at all. */
export type Answer = JsonObject | { readonly code: number; readonly text: string } | 'nothing';

export interface Call {
  readonly path: string;
  readonly serverName: string | false | undefined;
  readonly body: JsonObject;
}

const authority = createAuthority();
const names = ['127.0.0.1', 'hook.shop.svc'];
const { cert, key } = authority.issue({ commonName: 'webhook', usage: 'server', names });

/** The authority that webhooks of tests have their certificates from, as a `caBundle`. */
export const CA_BUNDLE = Buffer.from(authority.cert).toString('base64');

const isText = (answer: Answer): answer is { readonly code: number; readonly text: string } =>
  typeof answer === 'object' && 'code' in answer && 'text' in answer;

/** A webhook on this machine. `answer` may be changed while it runs; calls are recorded. */
export const startWebhook = async (
  answer: (body: JsonObject) => Answer | Promise<Answer>,
  options: ServerOptions = { cert, key },
) => {
  const calls: Call[] = [];
  const hook = { answer };
  const server = createServer(options, async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = JSON.parse(Buffer.concat(parts).toString()) as JsonObject;
    const { servername } = request.socket as { servername?: string | false };
    calls.push({ path: request.url ?? '', serverName: servername, body });
    const reply = await hook.answer(body);
    if (reply === 'nothing') return;
    const [code, text] = isText(reply) ? [reply.code, reply.text] : [200, JSON.stringify(reply)];
    response.writeHead(code, {
      'content-type': 'application/json',
      location: 'https://127.0.0.1:1/',
    });
    response.end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    hook,
    calls,
    port,
    url: `https://127.0.0.1:${port}/convert`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
