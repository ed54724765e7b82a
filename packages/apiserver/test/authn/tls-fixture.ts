import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { realClock } from '@perigee/kube/clock/real-clock';
import type { KeyPair } from '@perigee/kube/pki/certificate-authority';
import type { JsonObject } from '@perigee/schema/json';
import {
  type EmbeddedServerOptions,
  startEmbeddedServer,
} from '../../src/embedded/embedded-server.ts';

/** Credentials of a client. */
export interface Identity {
  readonly pair?: KeyPair;
  readonly token?: string;
  readonly headers?: { readonly [name: string]: string | readonly string[] };
}

export interface Answer {
  readonly code: number;
  readonly body: JsonObject;
  readonly contentType: string;
}

const parsed = (content: string): JsonObject => {
  try {
    return JSON.parse(content) as JsonObject;
  } catch {
    return { text: content };
  }
};

/** Speaks to a server over TLS as whoever it is told to be. */
export const tlsCaller = (url: string, ca: string) => {
  const agents = new Map<KeyPair | undefined, Agent>();
  const call = async (
    identity: Identity,
    method: string,
    path: string,
    body?: JsonObject,
    contentType = 'application/json',
  ): Promise<Answer> => {
    const { pair, token, headers = {} } = identity;
    const agent = agents.get(pair) ?? new Agent({ ca, keepAlive: true, ...pair });
    agents.set(pair, agent);
    // As an URL, a path would lose its dots before it is sent.
    const sent = request(url, {
      path,
      method,
      agent,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': contentType }),
        ...headers,
      },
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(sent, 'response');
    const content = await text(response);
    return {
      code: response.statusCode,
      body: parsed(content),
      contentType: response.headers['content-type'] ?? '',
    };
  };
  const close = (): void => {
    for (const agent of agents.values()) agent.destroy();
  };
  return { call, close };
};

/** A whole server that asks everybody who they are. */
export const startGuarded = async (options: Partial<EmbeddedServerOptions> = {}) => {
  const server = await startEmbeddedServer({ clock: realClock, access: 'rbac', ...options });
  const { pki } = server;
  if (pki === undefined) throw new Error('a server with access control has keys');
  const { call, close } = tlsCaller(server.url, pki.authority);
  const admin = (method: string, path: string, body?: JsonObject, contentType?: string) =>
    call({ pair: pki.admin }, method, path, body, contentType);
  return {
    ...server,
    pki,
    call,
    admin,
    [Symbol.asyncDispose]: async () => {
      close();
      await server[Symbol.asyncDispose]();
    },
  };
};

export type Guarded = Awaited<ReturnType<typeof startGuarded>>;

export const TOKEN_OF = (name: string): string =>
  `/api/v1/namespaces/default/serviceaccounts/${name}/token`;

/** A service account with a token, and the rules that it gets in the whole cluster. */
export const newAccount = async (
  { admin }: Guarded,
  name: string,
  rules: readonly JsonObject[] = [],
): Promise<string> => {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  await admin('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name } });
  await admin('POST', `${rbac}/clusterroles`, { metadata: { name }, rules });
  await admin('POST', `${rbac}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
  });
  const { body } = await admin('POST', TOKEN_OF(name), { spec: {} });
  return (body.status as { token: string }).token;
};
