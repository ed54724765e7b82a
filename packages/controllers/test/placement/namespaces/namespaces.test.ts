import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ClusterOverridePolicy } from '@perigee/api/kinds/placement/cluster-override-policy';
import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { Work } from '@perigee/api/kinds/placement/work';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { setReady, startFederation } from '../../support/federation.ts';
import { boundTo } from '../../support/kinds.ts';

type World = Awaited<ReturnType<typeof startFederation>>;

const namesIn = async (world: World, cluster: string): Promise<readonly string[]> =>
  (await world.member(cluster).admin.list(Namespace)).items.map(({ metadata }) => metadata.name);

const add = (world: World, name: string, labels: { [key: string]: string } = {}) =>
  world.client.create(Namespace, { metadata: { name, labels } });

test('members get the namespaces of the control plane, but not its own', async () => {
  await using world = await startFederation({ members: ['m1', 'm2'] });
  await add(world, 'shop', { team: 'shop' });
  await add(world, 'karmada-demo');
  await add(world, 'karmada-system');
  await add(world, 'kube-extra');
  await add(world, 'apart', { 'namespace.karmada.io/skip-auto-propagation': 'True' });
  await world.settle();
  for (const cluster of ['m1', 'm2']) {
    assert.deepEqual(await namesIn(world, cluster), ['default', 'karmada-demo', 'shop']);
  }
  const shop = await world.member('m1').find(Namespace, 'shop');
  assert.equal(shop?.metadata.labels?.team, 'shop');
  assert.equal(shop?.metadata.labels?.['karmada.io/managed'], 'true');
  const [work] = (await world.works('m1')).filter(({ metadata }) => /^shop-/.test(metadata.name));
  assert.deepEqual(
    work?.metadata.ownerReferences?.map(({ kind, name, controller }) => [kind, name, controller]),
    [['Namespace', 'shop', true]],
  );
  assert.equal('suspendDispatching' in (work?.spec ?? {}), false);
});

test('namespaced work finds its namespace, whichever comes first', async () => {
  await using world = await startFederation();
  await add(world, 'shop');
  const metadata = { namespace: 'shop', name: 'settings' };
  await world.client.create(ConfigMap, { metadata });
  await world.bind(boundTo('v1', 'ConfigMap', 'settings', 'shop'), [{ name: 'm1' }]);
  await world.settle();
  assert.notEqual(await world.member('m1').find(ConfigMap, 'settings', 'shop'), undefined);
});

test('with a namespace its copies go', async () => {
  await using world = await startFederation();
  await add(world, 'shop');
  await world.settle();
  await world.client.delete(Namespace, { name: 'shop' });
  await world.settle(10_000);
  const works = await world.works('m1');
  assert.deepEqual(
    works.filter(({ metadata }) => /^shop-/.test(metadata.name)),
    [],
  );
});

test('namespaces are overridden as everything else is', async () => {
  await using world = await startFederation({ members: ['m1', 'm2'] });
  await add(world, 'shop');
  const labelsOverrider = [{ operator: 'add', value: { tier: 'edge' } }];
  await world.client.create(ClusterOverridePolicy, {
    metadata: { name: 'edge' },
    spec: {
      resourceSelectors: [{ apiVersion: 'v1', kind: 'Namespace', name: 'shop' }],
      overrideRules: [{ targetCluster: { clusterNames: ['m2'] }, overriders: { labelsOverrider } }],
    } as never,
  });
  await world.settle();
  const tierIn = async (cluster: string) =>
    (await world.member(cluster).find(Namespace, 'shop'))?.metadata.labels?.tier;
  assert.deepEqual([await tierIn('m1'), await tierIn('m2')], [undefined, 'edge']);
});

test('a new cluster gets a namespace for its Works and all that is there already', async () => {
  await using world = await startFederation({ members: ['m1'] });
  await add(world, 'shop');
  const late = world.member('m1');
  world.members.set('late', late);
  await world.client.create(MemberCluster, {
    metadata: { name: 'late' },
    spec: { syncMode: 'Push' },
  });
  await world.settle();
  const space = await world.client.get(Namespace, { name: 'karmada-es-late' });
  assert.equal(space.metadata.labels?.['karmada.io/system'], 'true');
  const { metadata } = await world.client.get(MemberCluster, { name: 'late' });
  assert.deepEqual(metadata.finalizers, ['karmada.io/cluster-controller']);
  assert.equal((await world.works('late')).length, 1);
});

test('a cluster that cannot be reached any more can be taken off all the same', async () => {
  await using world = await startFederation({ members: ['m1'] });
  const { client } = world;
  await client.create(MemberCluster, { metadata: { name: 'pulls' }, spec: { syncMode: 'Pull' } });
  await add(world, 'shop');
  await world.settle();
  assert.equal((await world.works('pulls')).length, 1);
  await setReady(client, 'm1', 'False');
  for (const name of ['m1', 'pulls']) await client.delete(MemberCluster, { name });
  await world.settle(10_000);
  assert.deepEqual((await client.list(MemberCluster)).items, []);
  assert.deepEqual((await client.list(Work)).items, []);
});

test('a namespace that is bound goes by its binding, and nobody quarrels about it', async () => {
  await using world = await startFederation({ members: ['m1', 'm2'] });
  const { client } = world;
  await add(world, 'shop');
  await world.settle();
  await client.create(ClusterResourceBinding, {
    metadata: { name: 'shop-namespace' },
    spec: {
      resource: { apiVersion: 'v1', kind: 'Namespace', name: 'shop' },
      clusters: [{ name: 'm1' }],
      conflictResolution: 'Abort',
    },
  });
  await world.settle();
  const shop = await world.member('m1').find(Namespace, 'shop');
  const annotation = 'clusterresourcebinding.karmada.io/name';
  assert.equal(shop?.metadata.annotations?.[annotation], 'shop-namespace');
  const { items: before } = await client.list(Work);
  await world.settle(60_000);
  assert.deepEqual((await client.list(Work)).items, before);
  await client.delete(ClusterResourceBinding, { name: 'shop-namespace' });
  await world.settle();
  const again = (await world.works('m1')).find(({ metadata }) => /^shop-/.test(metadata.name));
  assert.equal(again?.metadata.annotations?.[annotation], undefined);
  assert.notEqual(again, undefined);
});
