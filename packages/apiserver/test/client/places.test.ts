import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ApiError } from '@perigee/kube/errors';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/embedded-server.ts';

const KINDS: { readonly [what: string]: ResourceKind } = {
  'a kind without namespaces': ClusterRole,
  'a kind with namespaces': ConfigMap,
  'a kind without namespaces that is taken to have them': { ...ClusterRole, scope: 'Namespaced' },
  'a kind with namespaces that is taken to have none': { ...ConfigMap, scope: 'Cluster' },
};
const PLACES: readonly { readonly name: string; readonly namespace?: string }[] = [
  { name: 'x' },
  { name: 'x', namespace: 'default' },
  { name: 'x', namespace: '' },
  { name: '' },
  { name: '', namespace: 'default' },
  { name: '..', namespace: 'default' },
];

type Place = (typeof PLACES)[number];
type Verb = (client: Client, kind: ResourceKind, place: Place) => Promise<unknown>;

const VERBS: { readonly [verb: string]: Verb } = {
  get: (client, kind, place) => client.get(kind, place),
  list: (client, kind, { namespace }) =>
    client.list(kind, namespace === undefined ? {} : { namespace }),
  watch: async (client, kind, { namespace }) => {
    const stop = new AbortController();
    const where = namespace === undefined ? {} : { namespace };
    const watch = client.watch(kind, { ...where, sendInitialEvents: true, signal: stop.signal });
    try {
      for await (const _ of watch) return;
    } finally {
      stop.abort();
    }
  },
  create: (client, kind, metadata) => client.create(kind, { metadata }, { dryRun: true }),
  update: (client, kind, metadata) => client.update(kind, { metadata }, { dryRun: true }),
  patch: (client, kind, place) =>
    client.patch(kind, place, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } }),
  apply: (client, kind, place) => {
    const apiVersion = kind.group === '' ? 'v1' : `${kind.group}/v1`;
    const body = { apiVersion, kind: kind.kind, metadata: place };
    const patch = { type: 'apply', body, fieldManager: 'test' } as const;
    return client.patch(kind, place, patch, { dryRun: true });
  },
  delete: (client, kind, place) => client.delete(kind, place),
  deleteCollection: (client, kind, { namespace }) =>
    client.deleteCollection(kind, {
      labelSelector: 'nobody=has-this',
      ...(namespace === undefined ? {} : { namespace }),
    }),
};

/** The outcome, as far as both clients can tell it in the same words. */
const outcomeOf = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    await work();
    return 'done';
  } catch (error) {
    if (error instanceof ApiError) return `status ${error.code}`;
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
};

suite('a client in the process refuses places as one that speaks HTTP does', () => {
  let server: EmbeddedServer;
  let http: Client & AsyncDisposable;
  before(async () => {
    server = await startEmbeddedServer({ clock });
    http = createHttpClient({ server: server.url }, { clock });
  });
  after(async () => {
    await http[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  for (const [verb, call] of Object.entries(VERBS)) {
    for (const [what, kind] of Object.entries(KINDS)) {
      test(`${verb} of ${what}`, async () => {
        for (const place of PLACES) {
          const where = JSON.stringify(place);
          const inside = await outcomeOf(() => call(server.client, kind, place));
          assert.equal(inside, await outcomeOf(() => call(http, kind, place)), where);
        }
      });
    }
  }

  test('no object without a namespace is stored under one', async () => {
    const { client, registry } = server;
    const metadata = { name: 'ghost', namespace: 'default' };
    await assert.rejects(client.create(ClusterRole, { metadata }), /does not live in a namespace/);
    const lying = { ...ClusterRole, scope: 'Namespaced' } as const;
    await assert.rejects(client.create(lying, { metadata }), { code: 404 });
    const table = `root/${ClusterRole.group}/${ClusterRole.plural}`;
    const ghosts = registry.store.range(table).entries.filter(({ key }) => key.includes('/'));
    assert.deepEqual(ghosts, []);
  });
});
