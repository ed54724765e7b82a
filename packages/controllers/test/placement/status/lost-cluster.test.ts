import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { setReady, startFederation } from '../../support/federation.ts';
import { boundTo, deployment } from '../../support/kinds.ts';

const REF = { namespace: 'default', name: 'settings' };
const BINDING = { namespace: 'default', name: 'settings-configmap' };
const BOTH = [{ name: 'm1' }, { name: 'm2' }];

type World = Awaited<ReturnType<typeof startFederation>>;

const toldOf = async ({ client }: World) => {
  const { status } = await client.get(ResourceBinding, BINDING);
  const items = (status?.aggregatedStatus ?? []).map(
    ({ clusterName, applied, health }) => `${clusterName} ${applied ? 'applied' : '-'} ${health}`,
  );
  return [...items, findCondition(status?.conditions, 'FullyApplied')?.status];
};

/** A change of the template reaches the binding as the detector would write it. */
const change = async ({ client }: World, value: string) => {
  const { metadata } = await client.patch(ConfigMap, REF, {
    type: 'merge',
    body: { data: { value } },
  });
  const { resourceVersion } = metadata;
  const body = { spec: { resource: { resourceVersion } } };
  await client.patch(ResourceBinding, BINDING, { type: 'merge', body });
};

const open = async () => {
  const world = await startFederation({ members: ['m1', 'm2'] });
  await world.client.create(ConfigMap, { metadata: REF, data: { value: '1' } } as never);
  await world.bind(boundTo('v1', 'ConfigMap', 'settings'), BOTH);
  await world.settle();
  assert.deepEqual(await toldOf(world), ['m1 applied Healthy', 'm2 applied Healthy', 'True']);
  return world;
};

test('the health of what runs in a lost cluster is unknown until the cluster is back', async () => {
  await using world = await open();
  await setReady(world.client, 'm2', 'False');
  await world.settle();
  assert.deepEqual(await toldOf(world), ['m1 applied Healthy', 'm2 applied Unknown', 'True']);
  await setReady(world.client, 'm2', 'True');
  await world.settle();
  assert.deepEqual(await toldOf(world), ['m1 applied Healthy', 'm2 applied Healthy', 'True']);
});

test('what a lost cluster did not get is not fully applied', async () => {
  await using world = await open();
  await setReady(world.client, 'm2', 'False');
  await change(world, '2');
  await world.settle();
  assert.deepEqual(await toldOf(world), ['m1 applied Healthy', 'm2 - Unknown', 'False']);
  await setReady(world.client, 'm2', 'True');
  await world.settle();
  assert.deepEqual(await toldOf(world), ['m1 applied Healthy', 'm2 applied Healthy', 'True']);
});

test('a member that does not answer is behind before anybody calls it lost', async () => {
  await using world = await open();
  world.member('m2').connection = 'cut';
  await change(world, '2');
  await world.settle(5000);
  assert.deepEqual(await toldOf(world), ['m1 applied Healthy', 'm2 - Unknown', 'False']);
  world.member('m2').connection = 'fine';
  await world.settle(60_000);
  assert.deepEqual(await toldOf(world), ['m1 applied Healthy', 'm2 applied Healthy', 'True']);
});

test('to suspend the dispatching leaves applied what is there', async () => {
  await using world = await open();
  const body = { spec: { suspension: { dispatching: true } } };
  await world.client.patch(ResourceBinding, BINDING, { type: 'merge', body });
  await world.settle();
  assert.deepEqual(await toldOf(world), ['m1 applied Healthy', 'm2 applied Healthy', 'True']);
  await change(world, '2');
  await world.settle();
  assert.deepEqual(await toldOf(world), ['m1 - Healthy', 'm2 - Healthy', 'False']);
});

test('replicas of a lost cluster are not ready ones', async () => {
  await using world = await startFederation({ members: ['m1', 'm2'] });
  const { client } = world;
  const web = { namespace: 'default', name: 'web' };
  await client.create(Deployment, deployment('web', 5));
  const clusters = [
    { name: 'm1', replicas: 2 },
    { name: 'm2', replicas: 3 },
  ];
  await world.bind(boundTo('apps/v1', 'Deployment', 'web'), clusters, { replicas: 5 });
  await world.settle();
  for (const { name, replicas } of clusters) {
    const { admin } = world.member(name);
    const { metadata } = await admin.get(Deployment, web);
    const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas };
    const status = { observedGeneration: metadata.generation, ...counts };
    const body = { status: { ...status, availableReplicas: replicas } };
    await admin.patch(Deployment, web, { type: 'merge', body }, { subresource: 'status' });
  }
  const told = async () => {
    const { status } = await client.get(Deployment, web);
    const {
      replicas,
      readyReplicas,
      availableReplicas,
      unavailableReplicas = 0,
    } = status as {
      readonly [field: string]: number | undefined;
    };
    return [replicas, readyReplicas, availableReplicas, unavailableReplicas];
  };
  await world.settle();
  assert.deepEqual(await told(), [5, 5, 5, 0]);
  await setReady(client, 'm2', 'False');
  await world.settle();
  assert.deepEqual(await told(), [5, 2, 2, 3]);
});
