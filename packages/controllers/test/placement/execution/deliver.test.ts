import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Event } from '@perigee/kubernetes/core/event';
import { startFederation } from '../../support/federation.ts';
import { boundTo, deployment } from '../../support/kinds.ts';

const WEB = boundTo('apps/v1', 'Deployment', 'web');
const BINDING = { namespace: 'default', name: 'web-deployment' };

test('a bound object appears in its cluster, with its share and its origin', async () => {
  await using world = await startFederation({ members: ['m1', 'm2'] });
  const { client, settle, member } = world;
  const template = await client.create(Deployment, deployment('web', 5));
  await world.bind(WEB, [{ name: 'm1', replicas: 3 }], { replicas: 5 });
  await settle();

  const [work] = (await world.works('m1')).filter(({ metadata }) => /^web-/.test(metadata.name));
  assert.deepEqual(work?.metadata.annotations, {
    'resourcebinding.karmada.io/namespace': 'default',
    'resourcebinding.karmada.io/name': 'web-deployment',
    'work.karmada.io/conflict-resolution': 'abort',
  });
  assert.equal(work?.metadata.labels?.['resourcebinding.karmada.io/permanent-id'], 'binding-id');
  assert.deepEqual(work?.metadata.finalizers, ['karmada.io/execution-controller']);
  assert.equal(work?.spec.suspendDispatching, false);

  const copy = await member('m1').find(Deployment, 'web');
  assert.equal((copy?.spec as { replicas: number } | undefined)?.replicas, 3);
  const { labels = {}, annotations = {} } = copy?.metadata ?? {};
  assert.equal(labels['karmada.io/managed'], 'true');
  assert.equal(labels['resourcebinding.karmada.io/permanent-id'], 'binding-id');
  assert.equal(labels.app, 'web');
  assert.equal(annotations['work.karmada.io/namespace'], 'karmada-es-m1');
  assert.equal(annotations['work.karmada.io/name'], work?.metadata.name);
  assert.equal(annotations['resourcetemplate.karmada.io/uid'], template.metadata.uid);
  assert.equal(annotations['resourcetemplate.karmada.io/generation'], '1');
  assert.equal(
    annotations['resourcetemplate.karmada.io/managed-labels'],
    Object.keys(labels).sort().join(),
  );
  assert.equal(
    annotations['resourcetemplate.karmada.io/managed-annotations'],
    Object.keys(annotations).sort().join(),
  );
  assert.equal(await member('m2').find(Deployment, 'web'), undefined);

  const binding = await client.get(ResourceBinding, BINDING);
  assert.deepEqual(binding.metadata.finalizers, ['karmada.io/binding-controller']);
  assert.deepEqual(
    binding.status?.aggregatedStatus?.map(({ clusterName, applied }) => [clusterName, applied]),
    [['m1', true]],
  );
  assert.equal(binding.status?.conditions?.[0]?.reason, 'FullyAppliedSuccess');
});

test('the clusters that get a workload at the same time are told of in one event', async () => {
  const names = Array.from({ length: 22 }, (_, at) => `m${10 + at}`);
  await using world = await startFederation({ members: names });
  const { client, clock } = world;
  await client.create(Deployment, deployment('web', 3));
  const told = async () => {
    const { items } = await client.list(Event);
    const about = items.filter(({ reason, involvedObject }) => {
      return reason === 'SyncSucceed' && involvedObject.name === 'web';
    });
    return about.map(({ message }) => message);
  };
  const [first, ...others] = names.map((name) => ({ name }));
  await world.bind(WEB, [first ?? {}], { replicas: 3 });
  await clock.advance(2_000);
  const one = 'Successfully applied resource(default/web) to cluster m10';
  assert.deepEqual(await told(), [one]);
  const body = { spec: { clusters: [first, ...others] } };
  await client.patch(ResourceBinding, BINDING, { type: 'merge', body });
  await clock.advance(2_000);
  const many = `${one.slice(0, -3)}${names.slice(1, 21).join(', ')} and 1 more`;
  assert.deepEqual(await told(), [one, many]);
});

test('nothing is written when nothing changes', async () => {
  await using world = await startFederation();
  await world.client.create(Deployment, deployment('web'));
  await world.bind(WEB, [{ name: 'm1', replicas: 2 }], { replicas: 2 });
  await world.settle();
  const { revision } = world.member('m1');
  const { metadata } = await world.client.get(ResourceBinding, BINDING);
  world.member('m1').requests.length = 0;
  await world.settle(3_600_000);
  assert.deepEqual(world.member('m1').writes, []);
  await world.restart();
  await world.settle();
  assert.equal(world.member('m1').revision, revision);
  const after = await world.client.get(ResourceBinding, BINDING);
  assert.equal(after.metadata.resourceVersion, metadata.resourceVersion);
});

test('scaling and moving follow the binding', async () => {
  await using world = await startFederation({ members: ['m1', 'm2'] });
  const { client, settle, member } = world;
  await client.create(Deployment, deployment('web', 5));
  await world.bind(WEB, [{ name: 'm1', replicas: 5 }], { replicas: 5 });
  await settle();
  const clusters = [
    { name: 'm1', replicas: 1 },
    { name: 'm2', replicas: 4 },
  ];
  await client.patch(ResourceBinding, BINDING, { type: 'merge', body: { spec: { clusters } } });
  await settle();
  const replicas = async (name: string) =>
    ((await member(name).find(Deployment, 'web'))?.spec as { replicas: number } | undefined)
      ?.replicas;
  assert.equal(await replicas('m1'), 1);
  assert.equal(await replicas('m2'), 4);
  const moved = { spec: { clusters: [{ name: 'm2', replicas: 5 }] } };
  await client.patch(ResourceBinding, BINDING, { type: 'merge', body: moved });
  await settle();
  assert.equal(await replicas('m1'), undefined);
  assert.equal(await replicas('m2'), 5);
});

test('what is changed or deleted in the cluster comes back, what others add there stays', async () => {
  await using world = await startFederation();
  const { client, settle, member } = world;
  const ref = { namespace: 'default', name: 'settings' };
  await client.create(ConfigMap, { metadata: ref, data: { colour: 'blue' } } as never);
  await world.bind(boundTo('v1', 'ConfigMap', 'settings'), [{ name: 'm1' }]);
  await settle();
  const { admin } = member('m1');
  const body = {
    metadata: { labels: { own: 'yes' }, annotations: { note: 'mine' } },
    data: { colour: 'red', size: 'L' },
  };
  await admin.patch(ConfigMap, ref, { type: 'merge', body });
  await settle();
  const corrected = await admin.get(ConfigMap, ref);
  assert.deepEqual(corrected.data, { colour: 'blue' });
  assert.equal(corrected.metadata.labels?.own, 'yes');
  assert.equal(corrected.metadata.annotations?.note, 'mine');
  await admin.delete(ConfigMap, ref);
  await settle();
  assert.deepEqual((await admin.get(ConfigMap, ref)).data, { colour: 'blue' });
});
