import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import type { JsonObject } from '@perigee/schema/json';
import { startServer } from '../embedded/embedded-fixture.ts';

const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const TABLE = 'root/apiregistration.k8s.io/apiservices';

type Api = Awaited<ReturnType<typeof startServer>>;

const itemsOf = async (api: Api): Promise<readonly JsonObject[]> =>
  (await api.send('GET', API_SERVICES)).body.items as readonly JsonObject[];

const named = (items: readonly JsonObject[], name: string): JsonObject | undefined =>
  items.find(({ metadata }) => (metadata as JsonObject).name === name);

/** Resolves once an entry of that name is there, or gone; the server's own news wake it up. */
const untilRegistered = async (api: Api, name: string, isThere: boolean): Promise<void> => {
  const { store } = api.registry;
  for (;;) {
    const { revision } = store;
    if ((named(await itemsOf(api), name) !== undefined) === isThere) return;
    using changes = store.watch(TABLE, { since: revision });
    await changes[Symbol.asyncIterator]().next();
  }
};

const rowsOf = async (api: Api): Promise<readonly (readonly unknown[])[]> => {
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const response = await fetch(api.url + API_SERVICES, { headers: { accept } });
  const { rows } = (await response.json()) as { readonly rows: readonly { cells: unknown[] }[] };
  return rows.map(({ cells }) => cells.slice(0, 3));
};

test('a server that has started has registered all its kinds, and has nothing more to write for it', async () => {
  await using api = await startServer({ clusterControllers: false });
  const { store } = api.registry;
  const registered = new Set(store.range(TABLE, {}).entries.map(({ key }) => key));
  const missing = allKinds
    .map(({ group, version }) => `${version}.${group}`)
    .filter((name) => !registered.has(name));
  assert.deepEqual(missing, []);
});

test('every version of the API is registered, with the order that clients are to prefer', async () => {
  await using api = await startServer();
  const items = await itemsOf(api);
  const apps = named(items, 'v1.apps') ?? {};
  assert.deepEqual(apps.spec, {
    group: 'apps',
    version: 'v1',
    groupPriorityMinimum: 17_800,
    versionPriority: 15,
  });
  const [condition] = (apps.status as { readonly conditions: readonly JsonObject[] }).conditions;
  const { lastTransitionTime: _, ...facts } = condition ?? {};
  assert.deepEqual(facts, {
    type: 'Available',
    status: 'True',
    reason: 'Local',
    message: 'Local APIServices are always available',
  });
  const core = named(items, 'v1.')?.spec as JsonObject | undefined;
  assert.deepEqual(core, { version: 'v1', groupPriorityMinimum: 18_000, versionPriority: 1 });
  const { body } = await api.send('GET', '/apis');
  const served = (body.groups as readonly { versions: { groupVersion: string }[] }[])
    .flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion))
    .filter((version) => !version.startsWith('apiregistration.k8s.io/'))
    .map((version) => version.split('/').reverse().join('.'));
  for (const name of served) await untilRegistered(api, name, true);
});

test('versions of definitions come and go with them', async () => {
  await using api = await startServer();
  const schema = { openAPIV3Schema: { type: 'object' } };
  const version = { name: 'v1', served: true, storage: true, schema };
  const crd = (plural: string, kind: string, versions: readonly JsonObject[]) => ({
    metadata: { name: `${plural}.shop.example.com` },
    spec: { group: 'shop.example.com', scope: 'Namespaced', names: { plural, kind }, versions },
  });
  const later = { ...version, name: 'v2', storage: false };
  await api.send('POST', CRDS, crd('tables', 'Table', [version]));
  await api.send('POST', CRDS, crd('chairs', 'Chair', [version, later]));
  await untilRegistered(api, 'v2.shop.example.com', true);
  const entry = named(await itemsOf(api), 'v2.shop.example.com');
  assert.equal((entry?.spec as JsonObject | undefined)?.groupPriorityMinimum, 1000);
  await api.send('DELETE', `${CRDS}/chairs.shop.example.com`);
  await untilRegistered(api, 'v2.shop.example.com', false);
  assert.notEqual(named(await itemsOf(api), 'v1.shop.example.com'), undefined);
  await api.send('DELETE', `${CRDS}/tables.shop.example.com`);
  await untilRegistered(api, 'v1.shop.example.com', false);
});

test('another server is not asked, which its entry tells', async () => {
  await using api = await startServer();
  const remote = (spec: JsonObject, name = 'v1.metrics.example.com') =>
    api.send('POST', API_SERVICES, {
      metadata: { name },
      spec: {
        group: 'metrics.example.com',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        ...spec,
      },
    });
  const service = { namespace: 'kube-system', name: 'metrics' };
  const wrong = await remote({ groupPriorityMinimum: 0, service }, 'v1.other.example.com');
  assert.equal(wrong.code, 422);
  assert.equal(
    wrong.body.message,
    'APIService.apiregistration.k8s.io "v1.other.example.com" is invalid: [metadata.name: Invalid value: "v1.other.example.com": must be `spec.version+"."+spec.group`: "v1.metrics.example.com", spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000]',
  );
  const made = await remote({ service });
  assert.equal(made.code, 201, JSON.stringify(made.body));
  assert.deepEqual(
    (await rowsOf(api)).filter(([name]) => /^v1\.(apps|metrics)/.test(String(name))),
    [
      ['v1.apps', 'Local', 'True'],
      ['v1.metrics.example.com', 'kube-system/metrics', 'False (NotAggregated)'],
    ],
  );
  assert.equal((await api.send('GET', '/apis/metrics.example.com/v1')).code, 404);
});
