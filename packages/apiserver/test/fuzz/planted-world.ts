import type { Client } from '@perigee/kube/client/client';
import { realClock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Secret } from '@perigee/kubernetes/core/secret';
import { RBAC_GROUP } from '@perigee/kubernetes/rbac/rbac-group';
import { Role } from '@perigee/kubernetes/rbac/role';
import { RoleBinding } from '@perigee/kubernetes/rbac/role-binding';
import { startEmbeddedServer } from '../../src/embedded/embedded-server.ts';

type Data = { readonly [key: string]: string };

const TOKEN = 'the-token-of-mallory';
/** Prefix of texts that only those with a right may read. */
const CANARY = 'canary';
export const OWN_CANARY = `${CANARY}-own`;
/** Any canary but one's own. */
export const FOREIGN_CANARY = new RegExp(`${CANARY}-(?!own)[a-z0-9-]+`);

const plant = async (client: Client, cluster: string): Promise<void> => {
  for (const name of ['own', 'other']) await client.create(Namespace, { metadata: { name } });
  const put = (kind: typeof Secret | typeof ConfigMap, namespace: string, data: Data) =>
    client.create(kind, {
      metadata: {
        name: 'hidden',
        namespace,
        annotations: { note: `${CANARY}-${cluster}-${namespace}-note` },
      },
      data,
    });
  for (const namespace of ['own', 'other']) {
    const value = `${CANARY}-${cluster}-${namespace}-secret`;
    await put(Secret, namespace, { key: Buffer.from(value).toString('base64') });
  }
  const value = `${CANARY}-${cluster}-map`;
  await put(ConfigMap, 'other', { key: value });
  if (cluster !== 'm1') await put(ConfigMap, 'own', { key: value });
};

/** Rights of the token's owner: a little in one namespace of one member. */
const admitMallory = async (client: Client): Promise<void> => {
  const metadata = { name: 'mallory', namespace: 'own' };
  const all = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
  const rules = [
    { apiGroups: [''], resources: ['configmaps', 'services'], verbs: all },
    { apiGroups: ['apps'], resources: ['deployments', 'deployments/scale'], verbs: all },
    { apiGroups: ['policy.karmada.io'], resources: ['propagationpolicies'], verbs: all },
    { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'], verbs: all },
    { apiGroups: [''], resources: ['pods/binding', 'pods/eviction'], verbs: all },
  ];
  await client.create(Role, { metadata, rules });
  const binding = {
    metadata,
    roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name: 'mallory' },
    subjects: [{ apiGroup: RBAC_GROUP, kind: 'User', name: 'mallory' }],
  };
  await client.create(RoleBinding, binding);
  await client.create(ConfigMap, {
    metadata: { name: 'mine', namespace: 'own' },
    data: { key: OWN_CANARY },
  });
};

/** A control plane with two members, all of them full of secrets, and somebody who knows none. */
export const startPlantedWorld = async () => {
  const faults: string[] = [];
  const logger = createLogger({
    clock: realClock,
    level: 'error',
    write: (line) => void faults.push(line),
  });
  const server = await startEmbeddedServer({
    clock: realClock,
    logger,
    access: 'rbac',
    graceMs: 0,
    staticTokens: [{ token: TOKEN, user: { name: 'mallory' }, clusters: ['m1'] }],
  });
  await plant(server.client, 'root');
  for (const name of ['m1', 'm2']) await plant((await server.openCluster(name)).client, name);
  const member = server.cluster('m1');
  if (member === undefined || server.pki === undefined) throw new Error('the member is not there');
  await admitMallory(member.client);
  return {
    place: {
      port: Number(new URL(server.url).port),
      ca: server.pki.authority,
      token: TOKEN,
      patienceMs: 250,
    },
    token: TOKEN,
    /** The server's log of faults of its own. */
    faults,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};

export type PlantedWorld = Awaited<ReturnType<typeof startPlantedWorld>>;
