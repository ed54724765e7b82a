import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Work } from '@perigee/api/kinds/placement/work';
import { isConditionTrue } from '@perigee/api/values/conditions';
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

/** The versions of all objects of a kind that are written while something is done. */
const versionsDuring = async (
  { client }: World,
  kind: typeof Work | typeof ResourceBinding,
  act: () => Promise<unknown>,
): Promise<readonly string[]> => {
  const written: string[] = [];
  const stop = new AbortController();
  const { metadata } = await client.list(kind as typeof Work);
  const options = { resourceVersion: metadata.resourceVersion, signal: stop.signal };
  const watching = (async () => {
    for await (const { type, object } of client.watch(kind as typeof Work, options)) {
      if (type === 'ADDED' || type === 'MODIFIED') written.push(object.metadata.name);
    }
  })().catch(() => {});
  await act();
  stop.abort();
  await watching;
  return written;
};

test('that a Work is delivered is told with the first that its member says of it', async () => {
  await using world = await startFederation();
  const { client, clock, settle } = world;
  await client.create(Deployment, deployment('web', 1));
  const works = await versionsDuring(world, Work, async () => {
    const bound = boundTo('apps/v1', 'Deployment', 'web');
    await world.bind(bound, [{ name: 'm1', replicas: 1 }], { replicas: 1 });
    await clock.advance(100);
    await report(world, 'm1', 1, 0);
    await settle();
  });
  // It is made, and told of once.
  assert.deepEqual(
    works.filter((name) => name.startsWith('web')).map((name) => name.slice(0, 4)),
    ['web-', 'web-'],
  );
  const [work] = (await world.works('m1')).filter(({ metadata }) => /^web-/.test(metadata.name));
  assert.ok(isConditionTrue(work?.status?.conditions, 'Applied'));
  assert.equal(work?.status?.manifestStatuses?.[0]?.health, 'Unhealthy');
});

test('a member that says nothing of a Work does not keep its delivery from being told', async () => {
  await using world = await startFederation();
  await world.client.create(Deployment, deployment('web', 1));
  const bound = boundTo('apps/v1', 'Deployment', 'web');
  await world.bind(bound, [{ name: 'm1', replicas: 1 }], { replicas: 1 });
  await world.clock.advance(500);
  const { status } = await world.client.get(ResourceBinding, BINDING);
  assert.ok(isConditionTrue(status?.conditions, 'FullyApplied'));
});

test('clusters that become well one after the other are told of at once, and not as lost before', async () => {
  const names = ['m1', 'm2', 'm3'];
  await using world = await startFederation({ members: names });
  const { client, clock, settle } = world;
  await client.create(Deployment, deployment('web', 3));
  const clusters = names.map((name) => ({ name, replicas: 1 }));
  await world.bind(boundTo('apps/v1', 'Deployment', 'web'), clusters, { replicas: 3 });
  await settle();
  const bindings = await versionsDuring(world, ResourceBinding, async () => {
    for (const name of names) {
      await report(world, name, 1, 1);
      await clock.advance(50);
    }
    // The last of them need not be waited for any longer.
    await clock.advance(20);
    const { status } = await client.get(ResourceBinding, BINDING);
    const healths = status?.aggregatedStatus?.map(({ health }) => health);
    assert.deepEqual(healths, ['Healthy', 'Healthy', 'Healthy']);
  });
  assert.equal(bindings.length, 1);
  const reasons = (await client.list(Event)).items.map(({ reason }) => reason);
  assert.ok(!reasons.includes('WorkDegraded'));
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
