import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Service } from '@perigee/kubernetes/core/service';
import type { JsonObject } from '@perigee/schema/json';
import { createInProcessClient } from '../../src/client/in-process-client.ts';
import { serviceAllocation } from '../../src/service-allocation/service-allocation.ts';
import {
  ensureStartObjects,
  type StartObjectsOptions,
} from '../../src/start-objects/ensure-start-objects.ts';
import { setUpBuiltinApi } from './builtin-api.ts';

const setUp = async () => {
  const { registry: plain, create } = await setUpBuiltinApi();
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } });
  const registry = { ...plain, allocate: serviceAllocation(plain) };
  const client = createInProcessClient(registry, { fieldManager: 'test' });
  const start = (options: Omit<StartObjectsOptions, 'clock'> = {}) =>
    ensureStartObjects(client, { clock: registry.clock, ...options });
  const find = (table: string, key: string) => registry.store.get(`root/${table}`, key)?.object;
  return { registry, start, find };
};

const AT = { host: '192.0.2.7', port: 6443 };

test('a start leads to the API by the first address of services', async () => {
  const { start, find } = await setUp();
  await start({ listens: AT });
  const { spec } = find('/services', 'default/kubernetes') as { spec: JsonObject };
  assert.equal(spec.clusterIP, '10.96.0.1');
  assert.deepEqual(spec.ports, [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }]);
  const { subsets } = find('/endpoints', 'default/kubernetes') as { subsets: JsonObject[] };
  const ports = [{ name: 'https', port: 6443, protocol: 'TCP' }];
  assert.deepEqual(subsets, [{ addresses: [{ ip: AT.host }], ports }]);
  const slice = find('discovery.k8s.io/endpointslices', 'default/kubernetes');
  assert.deepEqual(slice?.endpoints, [{ addresses: [AT.host], conditions: { ready: true } }]);
});

test('a start at another place says so, and changes nothing else', async () => {
  const { registry, start, find } = await setUp();
  await start({ listens: AT });
  const { revision } = registry.store;
  await start({ listens: AT });
  assert.equal(registry.store.revision, revision);
  await start({ listens: { ...AT, port: 7443 } });
  const { spec } = find('/services', 'default/kubernetes') as { spec: { ports: JsonObject[] } };
  assert.equal(spec.ports[0]?.targetPort, 7443);
  const slice = find('discovery.k8s.io/endpointslices', 'default/kubernetes');
  assert.deepEqual(slice?.ports, [{ name: 'https', port: 7443, protocol: 'TCP' }]);
});

test('a server that only its machine can reach has no endpoints', async () => {
  const { start, find } = await setUp();
  await start({ listens: { host: '127.0.0.1', port: 6443 } });
  assert.ok(find('/services', 'default/kubernetes'));
  assert.equal(find('/endpoints', 'default/kubernetes'), undefined);
});

test('the service of the API takes another address when somebody has the first', async () => {
  const { registry, start, find } = await setUp();
  const client = createInProcessClient(registry, { fieldManager: 'test' });
  const metadata = { name: 'early', namespace: 'default' };
  const spec = { clusterIP: '10.96.0.1', ports: [{ port: 80 }] };
  await client.create(Service, { metadata, spec } as never);
  await start({ listens: AT });
  const { spec: given } = find('/services', 'default/kubernetes') as { spec: JsonObject };
  assert.match(String(given.clusterIP), /^10\./);
  assert.notEqual(given.clusterIP, '10.96.0.1');
});

test('there are classes for what the system needs, and the facts that others look for', async () => {
  const { start, find } = await setUp();
  await start({ authority: 'PEM' });
  const values = ['system-node-critical', 'system-cluster-critical'].map(
    (name) => find('scheduling.k8s.io/priorityclasses', name)?.value,
  );
  assert.deepEqual(values, [2_000_001_000, 2_000_000_000]);
  const facts = find('/configmaps', 'kube-system/extension-apiserver-authentication');
  assert.deepEqual(facts?.data, { 'client-ca-file': 'PEM' });
  const tracking = 'kube-system/kube-apiserver-legacy-service-account-token-tracking';
  const { data } = find('/configmaps', tracking) as { data: { since: string } };
  assert.match(data.since, /^\d{4}-\d\d-\d\d$/);
});

test('clients can look up from where services get their addresses', async () => {
  const { start, find } = await setUp();
  await start({ serviceRange: '10.7.0.0/16' });
  const range = find('networking.k8s.io/servicecidrs', 'kubernetes') as {
    readonly spec: JsonObject;
    readonly status: { readonly conditions: readonly JsonObject[] };
  };
  assert.deepEqual(range.spec, { cidrs: ['10.7.0.0/16'] });
  const [ready] = range.status.conditions;
  assert.equal(ready?.type, 'Ready');
  assert.equal(ready?.status, 'True');
});
