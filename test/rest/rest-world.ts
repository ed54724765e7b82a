import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import {
  type EmbeddedServerOptions,
  startEmbeddedServer,
} from '@perigee/apiserver/embedded/embedded-server';
import { realClock } from '@perigee/kube/clock/real-clock';
import { ClusterRoleBinding } from '@perigee/kubernetes/rbac/cluster-role-binding';
import { createRestApi } from '@perigee/registration/rest/rest-api';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { storedState } from '../../packages/registration/test/stored-state.ts';

export const CLUSTERS = '/globalscheduler/v1/clusters';

export interface Sent {
  /** Bearer token; absent: an anonymous request. */
  readonly token?: string;
  /** Sent as it is; anything else as JSON. */
  readonly body?: string | Buffer | JsonObject;
  readonly headers?: { readonly [name: string]: string };
}

export interface Answer {
  readonly code: number;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly text: string;
  /** The JSON of it; an empty object when it is none. */
  readonly body: JsonObject;
}

const parseBody = (content: string): JsonObject => {
  try {
    const value: JsonValue = JSON.parse(content);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
};

const contentOf = (body: Sent['body']): string | Buffer | undefined =>
  body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
    ? body
    : JSON.stringify(body);

/** Speaks to a server over TLS, with a token or without. */
export const restCaller = (url: string, ca: string) => {
  const agent = new Agent({ ca, keepAlive: true });
  const call = async (method: string, path: string, sent: Sent = {}): Promise<Answer> => {
    const { token, headers } = sent;
    const content = contentOf(sent.body);
    const outgoing = request(url, {
      path,
      method,
      agent,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(content === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    // A server that refuses a body need not read all of it.
    outgoing.on('error', () => {});
    outgoing.end(content);
    const [response] = await once(outgoing, 'response');
    const answer = await text(response);
    return {
      code: response.statusCode,
      headers: response.headers,
      text: answer,
      body: parseBody(answer),
    };
  };
  return { call, close: () => agent.destroy() };
};

const CLUSTER_ROLE = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole' };

const tokenOf = (role: string) => ({
  token: `the token of a ${role}`.replaceAll(' ', '-'),
  user: { name: role },
  clusters: ['root'],
});

/** A control plane with the REST API, an administrator of Perigee, a user, and a user without a role. */
export const startRestWorld = async (options: Partial<EmbeddedServerOptions> = {}) => {
  const [admin, user, nobody] = ['perigee-admin', 'perigee-user', 'nobody'].map(tokenOf);
  const server = await startEmbeddedServer({
    clock: realClock,
    access: 'rbac',
    clusterControllers: false,
    staticTokens: [admin, user, nobody].flatMap((one) => one ?? []),
    extensions: [createRestApi()],
    ...options,
  });
  for (const name of ['perigee-admin', 'perigee-user']) {
    const binding = {
      metadata: { name },
      roleRef: { ...CLUSTER_ROLE, name },
      subjects: [{ apiGroup: CLUSTER_ROLE.apiGroup, kind: 'User', name }],
    };
    await server.client.create(ClusterRoleBinding, binding);
  }
  const ca = server.pki?.authority ?? '';
  const { call, close } = restCaller(server.url, ca);
  return {
    url: server.url,
    ca,
    client: server.client,
    call,
    admin: admin?.token ?? '',
    user: user?.token ?? '',
    nobody: nobody?.token ?? '',
    /** Another one with everything that is written or removed, whatever it is. */
    state: () => storedState(server.registry.store),
    [Symbol.asyncDispose]: async () => {
      close();
      await server[Symbol.asyncDispose]();
    },
  };
};

export type RestWorld = Awaited<ReturnType<typeof startRestWorld>>;
