import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { Client } from '@perigee/kube/client/client';
import { InvalidObjectError } from '@perigee/schema/errors';
import type { RegistrationProblem } from '../src/errors.ts';
import { isRegistrationError } from '../src/errors.ts';
import { getCluster } from '../src/operations/get-cluster.ts';
import { KnownIds } from '../src/operations/known-ids.ts';
import { listClusters } from '../src/operations/list-clusters.ts';
import { registerCluster } from '../src/operations/register-cluster.ts';
import { unregisterCluster } from '../src/operations/unregister-cluster.ts';
import { cluster1, FROM_BINDING, putWork, startInventory } from './inventory-fixture.ts';
import { storedState } from './stored-state.ts';

const problem = (wanted: RegistrationProblem) => (error: unknown) =>
  isRegistrationError(error, wanted);

test('registering the same cluster again gives the same record', async () => {
  await using server = await startInventory();
  const { client } = server;
  const first = await registerCluster(client, cluster1);
  assert.equal(first.outcome, 'registered');
  assert.equal(first.cluster.spec.ipAddress, '10.0.0.3');
  const before = storedState(server.registry.store);
  const again = await registerCluster(client, {
    metadata: cluster1.metadata,
    spec: {
      ipAddress: '10.0.0.3',
      geoLocation: { city: 'Bellevue', country: 'US' },
      region: { region: 'us-west', availabilityZone: 'us-west-1' },
      flavors: [{ flavorID: 'small', totalCapacity: 5 }],
      cpuCapacity: 8,
      homeDispatcher: 'dispatcher1',
      type: 'kubernetes',
    },
  });
  assert.equal(again.outcome, 'unchanged');
  assert.equal(again.cluster.metadata.uid, first.cluster.metadata.uid);
  assert.equal(storedState(server.registry.store), before);
});

test('another body under a taken name is refused', async () => {
  await using server = await startInventory();
  const { client } = server;
  await registerCluster(client, cluster1);
  const other = { ...cluster1, spec: { ...cluster1.spec, CPUCapacity: 9 } };
  await assert.rejects(registerCluster(client, other), problem('NameTaken'));
  const labelled = { ...cluster1, metadata: { name: 'cluster1', labels: { tier: 'edge' } } };
  await assert.rejects(registerCluster(client, labelled), problem('NameTaken'));
});

test('labels that others added do not make it another cluster', async () => {
  await using server = await startInventory();
  const { client } = server;
  const labelled = { ...cluster1, metadata: { name: 'cluster1', labels: { tier: 'edge' } } };
  await registerCluster(client, labelled);
  const body = { metadata: { labels: { added: 'later' } } };
  await client.patch(ClusterRecord, { name: 'cluster1' }, { type: 'merge', body });
  assert.equal((await registerCluster(client, labelled)).outcome, 'unchanged');
  assert.equal((await registerCluster(client, cluster1)).outcome, 'unchanged');
});

test('a bad cluster is refused before anything is written, and unknown fields are told', async () => {
  await using server = await startInventory();
  const { client } = server;
  const before = storedState(server.registry.store);
  const bad = [
    { spec: {} },
    { metadata: { name: '' }, spec: {} },
    { metadata: { name: 'Cluster1' }, spec: {} },
    { metadata: { name: 'a'.repeat(49) }, spec: {} },
    { metadata: { name: 'a' }, spec: { CPUCapacity: 'eight' } },
    { metadata: { name: 'a' }, spec: { flavors: [{ FlavorID: 'small' }] } },
    { metadata: { name: 'a' }, spec: { HomeDispatcher: 'x', 'HomeDispatcher ': 'y' } },
    { metadata: { name: 'a' } },
  ];
  for (const one of bad) {
    await assert.rejects(registerCluster(client, one), InvalidObjectError, JSON.stringify(one));
  }
  assert.equal(storedState(server.registry.store), before);
  const dry = await registerCluster(client, cluster1, { dryRun: true });
  assert.equal(dry.outcome, 'registered');
  assert.equal(storedState(server.registry.store), before);
  const odd = { ...cluster1, spec: { ...cluster1.spec, colour: 'blue' } };
  assert.deepEqual((await registerCluster(client, odd)).unknownFields, ['spec.colour']);
});

test('a cluster is found by its name, by its id, and by either', async () => {
  await using server = await startInventory();
  const { client } = server;
  const { cluster } = await registerCluster(client, cluster1);
  const id = cluster.metadata.uid;
  const refs = [{ name: 'cluster1' }, { id }, { id: id.toUpperCase() }, { nameOrId: id }];
  for (const ref of [...refs, { nameOrId: 'cluster1' }]) {
    assert.equal((await getCluster(client, ref)).metadata.uid, id);
  }
  const uuid = '3dda2801-d675-4688-a63f-dcda8d327f51';
  const missing = [{ name: 'cluster2' }, { id: uuid }, { nameOrId: uuid }, { nameOrId: 'x' }];
  for (const ref of missing) {
    await assert.rejects(getCluster(client, ref), problem('NotRegistered'));
  }
  await registerCluster(client, { metadata: { name: uuid }, spec: {} });
  assert.equal((await getCluster(client, { nameOrId: uuid })).metadata.name, uuid);
  for (const ref of [{ name: 'Cluster1' }, { id: 'cluster1' }, { nameOrId: 'a/b' }, { name: '' }]) {
    await assert.rejects(getCluster(client, ref), problem('BadReference'));
  }
});

test('an id that was seen costs one request, and never leads to another cluster', async () => {
  await using server = await startInventory();
  const calls: string[] = [];
  const client: Pick<Client, 'get' | 'list'> = {
    get: (...args) => {
      calls.push('get');
      return server.client.get(...args);
    },
    list: (...args) => {
      calls.push('list');
      return server.client.list(...args);
    },
  };
  const knownIds = new KnownIds();
  const find = async (id: string) => {
    calls.length = 0;
    const { metadata } = await getCluster(client, { id }, { knownIds });
    return [metadata.uid, ...calls];
  };
  const first = (await registerCluster(server.client, cluster1)).cluster.metadata.uid;
  assert.deepEqual(await find(first), [first, 'list']);
  assert.deepEqual(await find(first), [first, 'get']);
  await unregisterCluster(server.client, { id: first });
  const second = (await registerCluster(server.client, cluster1)).cluster.metadata.uid;
  await assert.rejects(getCluster(client, { id: first }, { knownIds }), problem('NotRegistered'));
  assert.deepEqual(await find(second), [second, 'get']);
});

test('clusters come in pages, in the order of their names', async () => {
  await using server = await startInventory();
  const { client } = server;
  for (const name of ['c', 'a', 'b']) {
    const labels = { tier: name === 'b' ? 'core' : 'edge' };
    await registerCluster(client, { metadata: { name, labels }, spec: {} });
  }
  const first = await listClusters(client, { limit: 2 });
  assert.deepEqual(
    first.clusters.map(({ metadata }) => metadata.name),
    ['a', 'b'],
  );
  assert.equal(first.remaining, 1);
  const last = await listClusters(client, { limit: 2, continue: first.continue ?? '' });
  assert.deepEqual(
    last.clusters.map(({ metadata }) => metadata.name),
    ['c'],
  );
  assert.equal(last.continue, undefined);
  const { clusters } = await listClusters(client, { labelSelector: 'tier=edge' });
  assert.equal(clusters.length, 2);
});

test('clusters are selected by where they are and by their phase', async () => {
  await using server = await startInventory();
  const { client } = server;
  await registerCluster(client, cluster1);
  await registerCluster(client, { metadata: { name: 'other' }, spec: { type: 'virtual' } });
  const namesBy = async (fieldSelector: string) =>
    (await listClusters(client, { fieldSelector })).clusters.map(({ metadata }) => metadata.name);
  assert.deepEqual(await namesBy('spec.region.region=us-west'), ['cluster1']);
  assert.deepEqual(await namesBy('spec.geoLocation.country!=US,spec.type=virtual'), ['other']);
  assert.deepEqual(await namesBy('status.phase=Ready'), []);
  assert.deepEqual(await namesBy('metadata.name=other'), ['other']);
  await assert.rejects(namesBy('spec.cpuCapacity=8'), /field label not supported/);
});

test('a cluster with bound work stays, unless by force', async () => {
  await using server = await startInventory();
  const { client } = server;
  await registerCluster(client, cluster1);
  await putWork(client, 'cluster1', FROM_BINDING);
  await assert.rejects(unregisterCluster(client, { name: 'cluster1' }), problem('HasWork'));
  assert.ok(await getCluster(client, { name: 'cluster1' }));
  const { outcome } = await unregisterCluster(client, { name: 'cluster1' }, { force: true });
  assert.equal(outcome, 'removed');
  await assert.rejects(getCluster(client, { name: 'cluster1' }), problem('NotRegistered'));
});

test('a Work that only prepares the cluster does not hold it', async () => {
  await using server = await startInventory();
  const { client } = server;
  const { cluster } = await registerCluster(client, cluster1);
  await putWork(client, 'cluster1', {});
  const gone = await unregisterCluster(client, { id: cluster.metadata.uid });
  assert.equal(gone.cluster.metadata.name, 'cluster1');
});

test('a record that changed is not unregistered, and one with finalizers leaves', async () => {
  await using server = await startInventory();
  const { client } = server;
  const { cluster } = await registerCluster(client, cluster1);
  const versions = [cluster.metadata.resourceVersion];
  const body = { metadata: { finalizers: ['example.com/hold'] } };
  const ref = { name: 'cluster1' };
  const held = await client.patch(ClusterRecord, ref, { type: 'merge', body });
  await assert.rejects(unregisterCluster(client, ref, { versions }), problem('Changed'));
  const now = [...versions, held.metadata.resourceVersion];
  const { outcome } = await unregisterCluster(client, ref, { versions: now });
  assert.equal(outcome, 'leaving');
  await assert.rejects(registerCluster(client, cluster1), problem('Leaving'));
});
