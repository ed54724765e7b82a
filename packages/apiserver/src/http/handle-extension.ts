import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import { ANONYMOUS } from '../access/access.ts';
import { createCallerClient, DECISION } from './caller-client.ts';
import type { Exchange } from './exchange.ts';
import type { Extension, ExtensionReply } from './extension.ts';
import { factsOf } from './http-facts.ts';
import { readBody } from './read-body.ts';
import { sendReply } from './reply.ts';
import type { ServedApi } from './served-api.ts';

const userOf = async (api: ServedApi, exchange: Exchange): Promise<UserInfo> => {
  const facts = factsOf(exchange);
  if (api.identify !== undefined) return api.identify(facts);
  const { method, request } = exchange;
  const { cluster } = api.registry;
  const verb = method.toLowerCase();
  const user = await api.authorize?.({ ...facts, verb, cluster, headers: request.headers });
  return user ?? ANONYMOUS;
};

const send = (exchange: Exchange, reply: ExtensionReply): Promise<void> => {
  const { 'content-type': contentType = 'text/plain', ...headers } = reply.headers;
  exchange.warnings.push(...(reply.warnings ?? []));
  const parts = reply.body === '' ? [] : [reply.body];
  return sendReply(exchange, { code: reply.code, contentType, headers, parts });
};

/** Lets an extension answer, as the user who asks, when it is their turn. */
export const handleExtension = async (
  api: ServedApi,
  exchange: Exchange,
  extension: Extension,
): Promise<void> => {
  const { method, path, query, request, audit, flow } = exchange;
  const { cluster } = api.registry;
  const verb = method.toLowerCase();
  audit?.wants(verb, undefined, cluster);
  try {
    const user = await userOf(api, exchange);
    exchange.user = user;
    audit?.isFrom(user);
    await flow.run({ user, cluster, verb, exchange }, async () => {
      const client = createCallerClient(api, exchange, user);
      const { headers } = request;
      const { signal } = exchange;
      const body = () => readBody(exchange);
      const yieldTurn = () => api.registry.clock.yield();
      const call = { method, path, query, headers, body, client, yieldTurn, signal };
      const reply = await extension.answer(call);
      audit?.annotate(DECISION, 'allow');
      await send(exchange, reply);
    });
  } catch (error) {
    const { response, signal } = exchange;
    if (signal.aborted || response.headersSent) throw error;
    const reply = extension.refuse(error);
    if (reply.code === 500) api.logger?.error('a request failed', { error, method, path });
    await send(exchange, reply);
  }
};
