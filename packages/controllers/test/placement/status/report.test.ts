import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Event } from '@perigee/kubernetes/core/event';
import { Pod } from '@perigee/kubernetes/core/pod';
import { startFederation } from '../../support/federation.ts';
import { boundTo, deployment } from '../../support/kinds.ts';

const REF = { namespace: 'default', name: 'web' };
const BINDING = { namespace: 'default', name: 'web-deployment' };

const readyIn = (told: { readonly status?: unknown } | undefined): number | undefined =>
  (told?.status as { readyReplicas?: number } | undefined)?.readyReplicas;

type World = Awaited<ReturnType<typeof startFederation>>;

const report = async (world: World, cluster: string, replicas: number, ready: number) => {
  const { admin } = world.member(cluster);
  const { metadata } = await admin.get(Deployment, REF);
  const status = {
    observedGeneration: metadata.generation,
    replicas,
    updatedReplicas: replicas,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: replicas - ready,
  };
  await admin.patch(
    Deployment,
    REF,
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  );
};

test('what members report is told by Work, binding and template', async () => {
  await using world = await startFederation({ members: ['m1', 'm2'] });
  const { client, settle } = world;
  await client.create(Deployment, deployment('web', 5));
  const clusters = [
    { name: 'm2', replicas: 3 },
    { name: 'm1', replicas: 2 },
  ];
  await world.bind(boundTo('apps/v1', 'Deployment', 'web'), clusters, { replicas: 5 });
  await settle();
  await report(world, 'm1', 2, 2);
  await report(world, 'm2', 3, 1);
  await settle();

  const [work] = (await world.works('m2')).filter(({ metadata }) => /^web-/.test(metadata.name));
  const [manifest] = work?.status?.manifestStatuses ?? [];
  assert.deepEqual(manifest?.identifier, {
    ordinal: 0,
    group: 'apps',
    version: 'v1',
    kind: 'Deployment',
    resource: 'deployments',
    namespace: 'default',
    name: 'web',
  });
  assert.equal(manifest?.health, 'Unhealthy');
  assert.equal(readyIn(manifest), 1);

  const binding = await client.get(ResourceBinding, BINDING);
  const items = binding.status?.aggregatedStatus ?? [];
  assert.deepEqual(
    items.map(({ clusterName, health, status }) => [clusterName, health, readyIn({ status })]),
    [
      ['m1', 'Healthy', 2],
      ['m2', 'Unhealthy', 1],
    ],
  );
  const template = await client.get(Deployment, REF);
  const { status } = template as unknown as { status: { [field: string]: number } };
  assert.equal(status.replicas, 5);
  assert.equal(status.readyReplicas, 3);
  assert.equal(status.observedGeneration, template.metadata.generation);
  const reasons = (await client.list(Event)).items.map(({ reason }) => reason);
  assert.ok(reasons.includes('AggregateStatusSucceed'));
});

test('a burst of reports is told at once', async () => {
  await using world = await startFederation();
  const { client, settle } = world;
  await client.create(Deployment, deployment('web', 40));
  const clusters = [{ name: 'm1', replicas: 40 }];
  await world.bind(boundTo('apps/v1', 'Deployment', 'web'), clusters, { replicas: 40 });
  await settle();
  const versions = new Set<string>();
  const stop = new AbortController();
  const { metadata } = await client.list(ResourceBinding);
  const watching = (async () => {
    const options = { resourceVersion: metadata.resourceVersion, signal: stop.signal };
    for await (const { type, object } of client.watch(ResourceBinding, options)) {
      if (type === 'MODIFIED') versions.add(object.metadata.resourceVersion);
    }
  })().catch(() => {});
  for (let ready = 1; ready <= 40; ready += 1) await report(world, 'm1', 40, ready);
  await settle();
  stop.abort();
  await watching;
  assert.equal(versions.size, 1);
  const template = await client.get(Deployment, REF);
  assert.equal((template.status as { readyReplicas?: number }).readyReplicas, 40);
});

test('what has no status counts as healthy once it is there', async () => {
  await using world = await startFederation();
  const metadata = { namespace: 'default', name: 'settings' };
  await world.client.create(ConfigMap, { metadata } as never);
  await world.bind(boundTo('v1', 'ConfigMap', 'settings'), [{ name: 'm1' }]);
  await world.settle();
  const binding = await world.client.get(ResourceBinding, {
    namespace: 'default',
    name: 'settings-configmap',
  });
  assert.deepEqual(binding.status?.aggregatedStatus, [
    { clusterName: 'm1', applied: true, health: 'Healthy' },
  ]);
});

test('what is suspended is still reported', async () => {
  await using world = await startFederation();
  await world.client.create(Deployment, deployment('web', 2));
  const clusters = [{ name: 'm1', replicas: 2 }];
  await world.bind(boundTo('apps/v1', 'Deployment', 'web'), clusters, { replicas: 2 });
  await world.settle();
  const body = { spec: { suspension: { dispatching: true } } };
  await world.client.patch(ResourceBinding, BINDING, { type: 'merge', body });
  await world.restart();
  await world.settle();
  await report(world, 'm1', 2, 1);
  await world.settle(10_000);
  const binding = await world.client.get(ResourceBinding, BINDING);
  assert.equal(readyIn(binding.status?.aggregatedStatus?.[0]), 1);
});

test('a pod has the phase that its copies come to', async () => {
  await using world = await startFederation();
  const ref = { namespace: 'default', name: 'one' };
  const spec = { containers: [{ name: 'main', image: 'nginx' }] };
  await world.client.create(Pod, { metadata: ref, spec } as never);
  await world.bind(boundTo('v1', 'Pod', 'one'), [{ name: 'm1' }]);
  await world.settle();
  const body = { status: { phase: 'Running' } };
  const { admin } = world.member('m1');
  await admin.patch(Pod, ref, { type: 'merge', body }, { subresource: 'status' });
  await world.settle();
  const { status } = await world.client.get(Pod, ref);
  assert.deepEqual(status, { phase: 'Running', qosClass: 'BestEffort' });
});
