import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Client } from '@perigee/kube/client/client';
import { realClock } from '@perigee/kube/clock/real-clock';
import type { KeyPair } from '@perigee/kube/pki/certificate-authority';
import { Secret } from '@perigee/kubernetes/core/secret';
import { ServiceAccount } from '@perigee/kubernetes/core/service-account';
import { ClusterRoleBinding } from '@perigee/kubernetes/rbac/cluster-role-binding';
import type { JsonObject } from '@perigee/schema/json';
import { startEmbeddedServer } from '../../src/embedded/embedded-server.ts';

export const CLUSTERS = ['root', 'a', 'b'] as const;
export type ClusterName = (typeof CLUSTERS)[number];

/** A text that only an answer of that cluster can hold. */
export const markerOf = (cluster: ClusterName): string => `only-in-${cluster}`;

/** A secret of its own, and a service account that may do everything there. */
const furnish = async (client: Client, cluster: ClusterName): Promise<string> => {
  const metadata = (name: string) => ({ metadata: { name, namespace: 'default' } });
  await client.create(Secret, metadata(markerOf(cluster)));
  await client.create(ServiceAccount, metadata('boss'));
  await client.create(ClusterRoleBinding, {
    metadata: { name: 'boss' },
    roleRef: { apiGroup: ClusterRoleBinding.group, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'boss', namespace: 'default' }],
  });
  const issued = (await client.create(
    ServiceAccount,
    { ...metadata('boss'), spec: {} } as never,
    { subresource: 'token' } as never,
  )) as unknown as { status: { token: string } };
  return issued.status.token;
};

export interface Credential {
  readonly pair?: KeyPair;
  readonly token?: string;
}

export interface Sent {
  /** As it stands in the request: with its dots, and perhaps with a host of its own. */
  readonly target: string;
  readonly host?: string;
  readonly serverName?: string;
  readonly method?: string;
  readonly headers?: { readonly [name: string]: string };
}

export interface Got {
  readonly code: number;
  readonly text: string;
  readonly body: JsonObject;
  readonly headers: IncomingHttpHeaders;
}

/** A control plane and two members, with credentials of each that rule it. */
export const startGuardedClusters = async () => {
  const server = await startEmbeddedServer({ clock: realClock, access: 'rbac' });
  const { pki } = server;
  if (pki === undefined) throw new Error('a server with access control has keys');
  const tokens = new Map<ClusterName, string>();
  for (const name of CLUSTERS) {
    const { client } = name === 'root' ? server : await server.openCluster(name);
    tokens.set(name, await furnish(client, name));
  }
  const groups = ['system:masters'];
  const pairs = new Map(
    CLUSTERS.map((name) => [name, pki.issueClient({ user: 'boss', groups, clusters: [name] })]),
  );
  const agents = new Map<string, Agent>();
  const { port } = new URL(server.url);
  const send = async (
    { pair, token }: Credential,
    { target, host, serverName, method, headers }: Sent,
  ) => {
    const key = `${serverName} ${pair?.cert}`;
    const options = { ca: pki.authority, keepAlive: true, checkServerIdentity: () => undefined };
    const agent = agents.get(key) ?? new Agent({ ...options, ...pair });
    agents.set(key, agent);
    const sent = request({
      host: '127.0.0.1',
      port,
      path: target,
      ...(method === undefined ? {} : { method }),
      agent,
      servername: serverName ?? '',
      headers: {
        host: host ?? `127.0.0.1:${port}`,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
    });
    sent.end();
    const [response] = await once(sent, 'response');
    const content = await text(response);
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    const got: Got = {
      code: response.statusCode,
      text: content,
      headers: response.headers,
      body: isJson && content !== '' ? JSON.parse(content) : {},
    };
    return got;
  };
  return {
    ...server,
    pki,
    port,
    send,
    certificateOf: (name: ClusterName): Credential => ({ pair: pairs.get(name) as KeyPair }),
    tokenOf: (name: ClusterName): Credential => ({ token: tokens.get(name) ?? '' }),
    [Symbol.asyncDispose]: async () => {
      for (const agent of agents.values()) agent.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
};
