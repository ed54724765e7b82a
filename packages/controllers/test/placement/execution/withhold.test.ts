import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Work } from '@perigee/api/kinds/placement/work';
import { findCondition } from '@perigee/api/values/conditions';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Event } from '@perigee/kubernetes/core/event';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { setReady, startFederation } from '../../support/federation.ts';
import { boundTo } from '../../support/kinds.ts';

const REF = { namespace: 'default', name: 'settings' };
const BINDING = { namespace: 'default', name: 'settings-configmap' };
const SETTINGS = boundTo('v1', 'ConfigMap', 'settings');

type World = Awaited<ReturnType<typeof startFederation>>;

const addSettings = (world: World, annotations: { [key: string]: string } = {}) =>
  world.client.create(ConfigMap, {
    metadata: { ...REF, annotations },
    data: { colour: 'blue' },
  } as never);

const change = (world: World, spec: object) =>
  world.client.patch(ResourceBinding, BINDING, { type: 'merge', body: { spec } });

const workOf = async (world: World, cluster = 'm1'): Promise<Work | undefined> =>
  (await world.works(cluster)).find(({ metadata }) => metadata.name.startsWith('settings-'));

const appliedOf = async (world: World) =>
  findCondition((await workOf(world))?.status?.conditions, 'Applied');

test('an object of the cluster’s own is left alone, unless it is to be overwritten', async () => {
  await using world = await startFederation();
  const { admin } = world.member('m1');
  await admin.create(ConfigMap, { metadata: REF, data: { colour: 'own' } } as never);
  await addSettings(world);
  await world.bind(SETTINGS, [{ name: 'm1' }]);
  await world.settle();
  assert.deepEqual((await admin.get(ConfigMap, REF)).data, { colour: 'own' });
  const refused = await appliedOf(world);
  assert.equal(refused?.reason, 'AppliedFailed');
  assert.match(refused?.message ?? '', /^Failed to apply all manifests \(0\/1\): .*not managed/);
  const binding = await world.client.get(ResourceBinding, BINDING);
  const [item] = binding.status?.aggregatedStatus ?? [];
  assert.equal(item?.applied, false);
  assert.equal(item?.appliedMessage, refused?.message);
  assert.equal(
    findCondition(binding.status?.conditions, 'FullyApplied')?.reason,
    'FullyAppliedFailed',
  );
  const events = (await world.client.list(Event)).items.map(({ reason }) => reason);
  assert.ok(events.includes('SyncFailed'));

  await change(world, { conflictResolution: 'Overwrite' });
  await world.settle(60_000);
  const taken = await admin.get(ConfigMap, REF);
  assert.deepEqual(taken.data, { colour: 'blue' });
  assert.equal(taken.metadata.labels?.['karmada.io/managed'], 'true');
  assert.equal((await appliedOf(world))?.status, 'True');
});

test('the template’s own word on conflicts goes before the policy’s', async () => {
  await using world = await startFederation();
  const { admin } = world.member('m1');
  await admin.create(ConfigMap, { metadata: REF, data: { colour: 'own' } } as never);
  await addSettings(world, { 'work.karmada.io/conflict-resolution': 'abort' });
  await world.bind(SETTINGS, [{ name: 'm1' }], { conflictResolution: 'Overwrite' });
  await world.settle();
  assert.deepEqual((await admin.get(ConfigMap, REF)).data, { colour: 'own' });
});

test('with its binding an object goes, and nothing that it did not bring', async () => {
  await using world = await startFederation();
  const { admin } = world.member('m1');
  const own = { namespace: 'default', name: 'own' };
  await admin.create(ConfigMap, { metadata: own } as never);
  await addSettings(world);
  await world.bind(SETTINGS, [{ name: 'm1' }]);
  await world.client.create(ConfigMap, { metadata: own } as never);
  await world.bind(boundTo('v1', 'ConfigMap', 'own'), [{ name: 'm1' }]);
  await world.settle();
  await world.client.delete(ResourceBinding, BINDING);
  await world.client.delete(ResourceBinding, { namespace: 'default', name: 'own-configmap' });
  await world.settle(60_000);
  assert.equal(await world.member('m1').find(ConfigMap, 'settings'), undefined);
  assert.notEqual(await world.member('m1').find(ConfigMap, 'own'), undefined);
  assert.deepEqual((await world.client.list(ResourceBinding)).items, []);
  assert.equal(await workOf(world), undefined);
});

test('what is to be preserved stays as the cluster’s own', async () => {
  await using world = await startFederation();
  await addSettings(world, { note: 'kept' });
  await world.bind(SETTINGS, [{ name: 'm1' }], { preserveResourcesOnDeletion: true });
  await world.settle();
  await world.client.delete(ResourceBinding, BINDING);
  await world.settle();
  const left = await world.member('m1').find(ConfigMap, 'settings');
  assert.deepEqual(left?.data, { colour: 'blue' });
  assert.deepEqual(left?.metadata.labels ?? {}, {});
  assert.deepEqual(left?.metadata.annotations, { note: 'kept' });
  assert.equal(await workOf(world), undefined);
});

test('what is suspended waits, in all clusters or in some', async () => {
  await using world = await startFederation({ members: ['m1', 'm2'] });
  await addSettings(world);
  await world.bind(SETTINGS, [{ name: 'm1' }, { name: 'm2' }], {
    suspension: { dispatchingOnClusters: { clusterNames: ['m1'] } },
  });
  await world.settle();
  assert.equal(await world.member('m1').find(ConfigMap, 'settings'), undefined);
  assert.notEqual(await world.member('m2').find(ConfigMap, 'settings'), undefined);
  const held = findCondition((await workOf(world))?.status?.conditions, 'Dispatching');
  assert.deepEqual([held?.status, held?.reason], ['False', 'SuspendDispatching']);
  await change(world, { suspension: null });
  await world.settle();
  assert.notEqual(await world.member('m1').find(ConfigMap, 'settings'), undefined);
  const sent = findCondition((await workOf(world))?.status?.conditions, 'Dispatching');
  assert.deepEqual([sent?.status, sent?.reason], ['True', 'Dispatching']);
});

test('a cluster that is not ready gets its work when it is', async () => {
  await using world = await startFederation();
  await setReady(world.client, 'm1', 'False');
  await addSettings(world);
  await world.bind(SETTINGS, [{ name: 'm1' }]);
  await world.settle(600_000);
  assert.equal(await world.member('m1').find(ConfigMap, 'settings'), undefined);
  await setReady(world.client, 'm1', 'True');
  await world.settle();
  assert.notEqual(await world.member('m1').find(ConfigMap, 'settings'), undefined);
});

test('a member that does not answer holds up nobody, and is served when it answers again', async () => {
  await using world = await startFederation({ members: ['m1', 'm2'] });
  world.member('m1').connection = 'cut';
  await addSettings(world);
  await world.bind(SETTINGS, [{ name: 'm1' }, { name: 'm2' }]);
  await world.settle();
  assert.notEqual(await world.member('m2').find(ConfigMap, 'settings'), undefined);
  assert.match((await appliedOf(world))?.message ?? '', /does not answer/);
  world.member('m1').connection = 'fine';
  await world.settle(120_000);
  assert.notEqual(await world.member('m1').find(ConfigMap, 'settings'), undefined);
  assert.equal((await appliedOf(world))?.status, 'True');
});

test('work that leaves directly has to be gone before it starts elsewhere', async () => {
  await using world = await startFederation({ members: ['m1', 'm2'] });
  await addSettings(world);
  await world.bind(SETTINGS, [{ name: 'm1' }]);
  await world.settle();
  await setReady(world.client, 'm1', 'False');
  await change(world, {
    clusters: [{ name: 'm2' }],
    gracefulEvictionTasks: [
      { fromCluster: 'm1', purgeMode: 'Directly', reason: 'TaintUntolerated', producer: 'test' },
    ],
  });
  await world.settle(20_000);
  assert.equal(await workOf(world, 'm2'), undefined);
  await setReady(world.client, 'm1', 'True');
  await world.settle(20_000);
  assert.equal(await world.member('m1').find(ConfigMap, 'settings'), undefined);
  assert.notEqual(await world.member('m2').find(ConfigMap, 'settings'), undefined);
});

test('work that leaves gracefully stays until its task ends', async () => {
  await using world = await startFederation({ members: ['m1', 'm2'] });
  await addSettings(world);
  await world.bind(SETTINGS, [{ name: 'm1' }]);
  await world.settle();
  const task = { fromCluster: 'm1', purgeMode: 'Gracefully', reason: 'Test', producer: 'test' };
  await change(world, { clusters: [{ name: 'm2' }], gracefulEvictionTasks: [task] });
  await world.settle();
  assert.notEqual(await world.member('m1').find(ConfigMap, 'settings'), undefined);
  assert.notEqual(await world.member('m2').find(ConfigMap, 'settings'), undefined);
  const both = await world.client.get(ResourceBinding, BINDING);
  assert.equal(findCondition(both.status?.conditions, 'FullyApplied')?.status, 'True');
  await change(world, { gracefulEvictionTasks: [] });
  await world.settle();
  assert.equal(await world.member('m1').find(ConfigMap, 'settings'), undefined);
});

test('a Work that somebody deletes is made again', async () => {
  await using world = await startFederation();
  await addSettings(world);
  await world.bind(SETTINGS, [{ name: 'm1' }]);
  await world.settle();
  const name = (await workOf(world))?.metadata.name ?? '';
  await world.client.delete(Work, { namespace: 'karmada-es-m1', name });
  await world.settle();
  assert.notEqual(await world.member('m1').find(ConfigMap, 'settings'), undefined);
  assert.equal((await appliedOf(world))?.status, 'True');
});

test('a cluster that leaves keeps its work until the binding has let go of it, then goes', async () => {
  await using world = await startFederation();
  await addSettings(world);
  await world.bind(SETTINGS, [{ name: 'm1' }]);
  await world.settle();
  await world.client.delete(MemberCluster, { name: 'm1' });
  await world.settle(10_000);
  assert.ok(await world.member('m1').find(ConfigMap, 'settings'), 'it runs on');
  const [going] = (await world.client.list(MemberCluster)).items;
  const drained = findCondition(going?.status?.conditions, 'Drained');
  assert.equal(drained?.reason, 'WorkStays');
  assert.match(drained?.message ?? '', /ConfigMap default\/settings \(no policy says where else/);
  await change(world, { clusters: [] });
  await world.settle(10_000);
  assert.equal(await world.member('m1').find(ConfigMap, 'settings'), undefined);
  assert.deepEqual((await world.client.list(MemberCluster)).items, []);
});

test('a cluster that leaves says of work whose policy was deleted that it stays, not that it leaves', async () => {
  await using world = await startFederation();
  await addSettings(world);
  await world.bind(SETTINGS, [{ name: 'm1' }], { placement: {} });
  await world.settle();
  await world.client.delete(MemberCluster, { name: 'm1' });
  await world.settle(10_000);
  const [going] = (await world.client.list(MemberCluster)).items;
  const drained = findCondition(going?.status?.conditions, 'Drained');
  assert.equal(drained?.reason, 'WorkStays');
  assert.match(drained?.message ?? '', /ConfigMap default\/settings \(its policy is gone/);
});

test('namespaces stay in a cluster that leaves, with what others put there', async () => {
  await using world = await startFederation();
  await world.client.create(Namespace, { metadata: { name: 'shop' } });
  await world.settle();
  const own = { namespace: 'shop', name: 'own' };
  await world.member('m1').admin.create(ConfigMap, { metadata: own } as never);
  await world.client.delete(MemberCluster, { name: 'm1' });
  await world.settle(10_000);
  assert.deepEqual((await world.client.list(MemberCluster)).items, []);
  const kept = await world.member('m1').find(Namespace, 'shop');
  assert.equal(kept?.metadata.deletionTimestamp, undefined);
  assert.ok(await world.member('m1').find(ConfigMap, 'own', 'shop'));
});

test('a cluster that is removed by force goes at once, and what runs there runs on', async () => {
  await using world = await startFederation({ members: ['m1', 'm2'] });
  await addSettings(world);
  await world.bind(SETTINGS, [{ name: 'm1' }, { name: 'm2' }]);
  await world.settle();
  const body = { metadata: { annotations: { 'globalscheduler.com/abandon': 'true' } } };
  await world.client.patch(MemberCluster, { name: 'm1' }, { type: 'merge', body });
  await world.client.delete(MemberCluster, { name: 'm1' });
  await change(world, { clusters: [{ name: 'm2' }] });
  await world.settle(10_000);
  assert.ok(await world.member('m1').find(ConfigMap, 'settings'));
  const left = (await world.client.list(MemberCluster)).items.map(({ metadata }) => metadata.name);
  assert.deepEqual(left, ['m2']);
});

test('a Work that somebody wrote by hand keeps its cluster', async () => {
  await using world = await startFederation();
  const metadata = { namespace: 'karmada-es-m1', name: 'mine' };
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: REF, data: { colour: 'red' } };
  await world.client.create(Work, { metadata, spec: { workload: { manifests: [manifest] } } });
  await world.settle();
  await world.client.delete(MemberCluster, { name: 'm1' });
  await world.settle(10_000);
  assert.ok(await world.member('m1').find(ConfigMap, 'settings'));
  await world.client.delete(Work, metadata);
  await world.settle(10_000);
  assert.deepEqual((await world.client.list(MemberCluster)).items, []);
});
