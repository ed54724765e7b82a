import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { ApiError, ConfigError } from '@perigee/kube/errors';
import type { JsonObject } from '@perigee/schema/json';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { createObject } from '../../src/registry/create.ts';
import { deleteObject } from '../../src/registry/delete.ts';
import { getObject } from '../../src/registry/get.ts';
import { ResourceCatalog } from '../../src/registry/resource-catalog.ts';
import { updateObject } from '../../src/registry/update.ts';
import { serviceAllocation } from '../../src/service-allocation/service-allocation.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import type { Store } from '../../src/store/store.ts';
import { resourceOf } from './builtin-api.ts';

const NONE: readonly string[] = [];
const services = resourceOf({ apiVersion: 'v1', kind: 'Service' });

/** An API as a start finds it: it knows what is stored, and nothing else. */
const openApi = (store: Store, range: string, cluster = 'root') => {
  const place = { store, clock: new VirtualClock(), cluster };
  const allocate = serviceAllocation(place, range);
  const registry = { ...place, resources: new ResourceCatalog(serverResources()), allocate };
  const create = (name: string, spec: JsonObject = {}, dryRun = false, finalizers = NONE) =>
    createObject(registry, services, {
      namespace: 'default',
      body: {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name, finalizers },
        spec: { ports: [{ port: 80 }], ...spec },
      },
      dryRun,
    });
  const remove = (name: string) => deleteObject(registry, services, { namespace: 'default', name });
  return { registry, create, remove };
};

const openCluster = async (store: Store, range: string, cluster?: string) => {
  const api = openApi(store, range, cluster);
  const namespaces = resourceOf({ apiVersion: 'v1', kind: 'Namespace' });
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } };
  await createObject(api.registry, namespaces, { body });
  return api;
};

const addressOf = (service: JsonObject): string =>
  (service.spec as { readonly clusterIP: string }).clusterIP;

const nodePortsOf = (service: JsonObject): readonly number[] =>
  (service.spec as { readonly ports: readonly { readonly nodePort: number }[] }).ports.map(
    ({ nodePort }) => nodePort,
  );

const named = (count: number, name = 's') =>
  Array.from({ length: count }, (_, index) => `${name}${index}`);

const isRefused = (text: string) => (error: unknown) =>
  error instanceof ApiError && error.message.includes(text);

test('services that come at once get addresses and ports of their own', async () => {
  const { create } = await openCluster(createMemoryStore(), '10.1.0.0/24');
  const made = await Promise.all(named(120).map((name) => create(name, { type: 'NodePort' })));
  assert.equal(new Set(made.map(addressOf)).size, 120);
  assert.equal(new Set(made.flatMap(nodePortsOf)).size, 120);
});

test('of two that ask for the same at once, one gets it', async () => {
  const { create } = await openCluster(createMemoryStore(), '10.1.0.0/24');
  const asked = { clusterIP: '10.1.0.9' };
  const outcomes = await Promise.allSettled([create('a', asked), create('b', asked)]);
  assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
});

test('a range is given out to its last address, and those that are freed again', async () => {
  const { create, remove } = await openCluster(createMemoryStore(), '10.1.0.0/28');
  const made = [];
  for (const name of named(14)) made.push(await create(name));
  const addresses = made.map(addressOf);
  const all = Array.from({ length: 14 }, (_, index) => `10.1.0.${index + 1}`);
  assert.deepEqual(new Set(addresses), new Set(all));
  await assert.rejects(create('late'), isRefused('range is full'));
  await remove('s3');
  assert.equal(addressOf(await create('late')), addresses[3]);
});

test('addresses by chance come from the upper part, for the lower is for those who choose', async () => {
  const { create } = await openCluster(createMemoryStore(), '10.1.0.0/24');
  const made = await Promise.all(named(100).map((name) => create(name, { type: 'NodePort' })));
  assert.ok(made.every((service) => Number(addressOf(service).split('.')[3]) > 16));
  assert.ok(made.flatMap(nodePortsOf).every((port) => port >= 30_086));
});

test('what was tried only, or refused, takes nothing', async () => {
  const { create } = await openCluster(createMemoryStore(), '10.1.0.0/24');
  const asked = { clusterIP: '10.1.0.9' };
  await create('tried', asked, true);
  await assert.rejects(create('refused', { ...asked, ports: [] }), isRefused('spec.ports'));
  assert.equal(addressOf(await create('made', asked)), '10.1.0.9');
});

test('a service that goes with a write is shown with the ports it would have had', async () => {
  const { registry, create, remove } = await openCluster(createMemoryStore(), '10.1.0.0/24');
  const { spec } = await create('s', {}, false, ['example.com/a']);
  await remove('s');
  const metadata = { name: 's' };
  const body = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: { ...(spec as JsonObject), type: 'LoadBalancer' },
  };
  const where = { namespace: 'default', name: 's' };
  const [port = 0] = nodePortsOf(await updateObject(registry, services, { ...where, body }));
  assert.ok(port >= 30000);
  assert.throws(() => getObject(registry, services, where), isRefused('not found'));
});

test('a start knows what was given before', async () => {
  const store = createMemoryStore();
  const before = await openCluster(store, '10.1.0.0/28');
  for (const name of named(13)) await before.create(name, { type: 'NodePort' });
  const after = openApi(store, '10.1.0.0/28');
  const entries = store.range('root//services').entries.map(({ object }) => addressOf(object));
  assert.ok(!entries.includes(addressOf(await after.create('new'))));
  await assert.rejects(after.create('late'), isRefused('range is full'));
});

test('clusters on one store have addresses of their own', async () => {
  const store = createMemoryStore();
  const [one, other] = [
    await openCluster(store, '10.1.0.0/24', 'one'),
    await openCluster(store, '10.1.0.0/24', 'other'),
  ];
  const asked = { clusterIP: '10.1.0.9' };
  assert.equal(addressOf(await one.create('s', asked)), addressOf(await other.create('s', asked)));
});

for (const range of ['10.1.0.0', '10.1.0.0/8', '10.1.0.0/31', 'fd00::/108', '10.1.0/24', '']) {
  test(`refuses ${JSON.stringify(range)} as the range of services`, () => {
    assert.throws(() => openApi(createMemoryStore(), range), ConfigError);
  });
}
