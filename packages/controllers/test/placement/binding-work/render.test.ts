import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ClusterOverridePolicy } from '@perigee/api/kinds/placement/cluster-override-policy';
import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { OverridePolicy } from '@perigee/api/kinds/placement/override-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Job } from '@perigee/kubernetes/batch/job';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Event } from '@perigee/kubernetes/core/event';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { startFederation } from '../../support/federation.ts';
import { boundTo, deployment } from '../../support/kinds.ts';

type World = Awaited<ReturnType<typeof startFederation>>;

const imageIn = async (world: World, cluster: string): Promise<string | undefined> => {
  const copy = await world.member(cluster).find(Deployment, 'web');
  const { spec } = copy as unknown as {
    spec: { template: { spec: { containers: { image: string }[] } } };
  };
  return spec.template.spec.containers[0]?.image;
};

const registry = (value: string, targetCluster?: object) => ({
  overrideRules: [
    {
      ...(targetCluster === undefined ? {} : { targetCluster }),
      overriders: {
        imageOverrider: [{ component: 'Registry', operator: 'add', value }],
      },
    },
  ],
});

test('overrides are applied where they are meant, and follow policies and labels', async () => {
  await using world = await startFederation({ members: ['m1', 'm2'] });
  const { client, settle } = world;
  await client.create(Deployment, deployment('web', 2));
  const clusters = [
    { name: 'm1', replicas: 1 },
    { name: 'm2', replicas: 1 },
  ];
  await world.bind(boundTo('apps/v1', 'Deployment', 'web'), clusters, { replicas: 2 });
  const selector = { labelSelector: { matchLabels: { near: 'yes' } } };
  await client.create(OverridePolicy, {
    metadata: { namespace: 'default', name: 'near' },
    spec: {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }],
      ...registry('near.example.com', selector),
    } as never,
  });
  await settle();
  assert.equal(await imageIn(world, 'm1'), 'nginx:1.27');

  const labels = { metadata: { labels: { near: 'yes' } } };
  await client.patch(MemberCluster, { name: 'm1' }, { type: 'merge', body: labels });
  await settle();
  assert.equal(await imageIn(world, 'm1'), 'near.example.com/nginx:1.27');
  assert.equal(await imageIn(world, 'm2'), 'nginx:1.27');
  const noteOf = async (annotation: string) => {
    const [work] = (await world.works('m1')).filter(({ metadata }) => /^web-/.test(metadata.name));
    return JSON.parse(work?.metadata.annotations?.[annotation] ?? 'null') as unknown;
  };
  assert.deepEqual(await noteOf('policy.karmada.io/applied-overrides'), [
    {
      policyName: 'near',
      overriders: {
        imageOverrider: [{ component: 'Registry', operator: 'add', value: 'near.example.com' }],
      },
    },
  ]);

  await client.create(ClusterOverridePolicy, {
    metadata: { name: 'all' },
    spec: registry('all.example.com') as never,
  });
  await client.delete(OverridePolicy, { namespace: 'default', name: 'near' });
  await settle();
  assert.equal(await imageIn(world, 'm1'), 'all.example.com/nginx:1.27');
  assert.equal(await imageIn(world, 'm2'), 'all.example.com/nginx:1.27');
  assert.equal(await noteOf('policy.karmada.io/applied-overrides'), null);
  assert.notEqual(await noteOf('policy.karmada.io/applied-cluster-overrides'), null);
});

test('an override that cannot be applied is told, and holds up only its own cluster', async () => {
  await using world = await startFederation({ members: ['m1', 'm2'] });
  const metadata = { namespace: 'default', name: 'settings' };
  await world.client.create(ConfigMap, { metadata, data: { a: '1' } } as never);
  const plaintext = [{ path: '/nothing/here', operator: 'replace', value: 1 }];
  await world.client.create(OverridePolicy, {
    metadata: { namespace: 'default', name: 'wrong' },
    spec: {
      overrideRules: [{ targetCluster: { clusterNames: ['m1'] }, overriders: { plaintext } }],
    } as never,
  });
  const clusters = [{ name: 'm1' }, { name: 'm2' }];
  await world.bind(boundTo('v1', 'ConfigMap', 'settings'), clusters);
  await world.settle();
  assert.equal(await world.member('m1').find(ConfigMap, 'settings'), undefined);
  assert.notEqual(await world.member('m2').find(ConfigMap, 'settings'), undefined);
  const told = (await world.client.list(Event)).items.filter(
    ({ reason }) => reason === 'SyncWorkFailed',
  );
  assert.match(told[0]?.message ?? '', /override policy wrong/);
});

test('a divided Job is done once in all', async () => {
  await using world = await startFederation({ members: ['m1', 'm2'] });
  await world.client.create(Job, {
    metadata: { namespace: 'default', name: 'sum' },
    spec: {
      parallelism: 4,
      completions: 10,
      ttlSecondsAfterFinished: 60,
      template: {
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] },
      },
    },
  } as never);
  const clusters = [
    { name: 'm1', replicas: 1 },
    { name: 'm2', replicas: 3 },
  ];
  await world.bind(boundTo('batch/v1', 'Job', 'sum'), clusters, {
    replicas: 4,
    placement: { replicaScheduling: { replicaSchedulingType: 'Divided' } },
  });
  await world.settle();
  const shareOf = async (cluster: string) => {
    const copy = await world.member(cluster).find(Job, 'sum');
    const { parallelism, completions, ttlSecondsAfterFinished } = (copy?.spec ?? {}) as {
      [field: string]: number;
    };
    return [parallelism, completions, ttlSecondsAfterFinished];
  };
  const [first, second] = [await shareOf('m1'), await shareOf('m2')];
  assert.deepEqual([first?.[0], second?.[0]], [1, 3]);
  assert.equal((first?.[1] ?? 0) + (second?.[1] ?? 0), 10);
  assert.ok((second?.[1] ?? 0) >= 7);
  assert.equal(first?.[2], undefined);
});

test('what others depend on goes where they go', async () => {
  await using world = await startFederation({ members: ['m1', 'm2'] });
  const metadata = { namespace: 'default', name: 'settings' };
  await world.client.create(ConfigMap, { metadata } as never);
  await world.bind(boundTo('v1', 'ConfigMap', 'settings'), [], {
    requiredBy: [{ namespace: 'default', name: 'web-deployment', clusters: [{ name: 'm2' }] }],
  });
  await world.settle();
  assert.equal(await world.member('m1').find(ConfigMap, 'settings'), undefined);
  assert.notEqual(await world.member('m2').find(ConfigMap, 'settings'), undefined);
});

test('what has no namespace is carried by a binding without one', async () => {
  await using world = await startFederation();
  const { client } = world;
  await client.create(ClusterRole, { metadata: { name: 'Reader:all' }, rules: [] } as never);
  const resource = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    name: 'Reader:all',
  };
  await client.create(ClusterResourceBinding, {
    metadata: {
      name: 'reader.all-clusterrole',
      labels: { 'clusterresourcebinding.karmada.io/permanent-id': 'crb-id' },
    },
    spec: { resource, clusters: [{ name: 'm1' }], conflictResolution: 'Abort' },
  });
  await world.settle();
  const copy = await world.member('m1').find(ClusterRole, 'Reader:all');
  assert.equal(
    copy?.metadata.annotations?.['clusterresourcebinding.karmada.io/name'],
    'reader.all-clusterrole',
  );
  assert.equal(copy?.metadata.labels?.['clusterresourcebinding.karmada.io/permanent-id'], 'crb-id');
  const binding = await client.get(ClusterResourceBinding, { name: 'reader.all-clusterrole' });
  assert.deepEqual(binding.metadata.finalizers, ['karmada.io/cluster-resource-binding-controller']);
  await client.delete(ClusterResourceBinding, { name: 'reader.all-clusterrole' });
  await world.settle();
  assert.equal(await world.member('m1').find(ClusterRole, 'Reader:all'), undefined);
});

test('a label that the template loses goes, one that the cluster added stays', async () => {
  await using world = await startFederation();
  const ref = { namespace: 'default', name: 'settings' };
  const labels = { kept: '1', dropped: '1' };
  const created = await world.client.create(ConfigMap, { metadata: { ...ref, labels } });
  await world.bind(boundTo('v1', 'ConfigMap', 'settings'), [{ name: 'm1' }]);
  await world.settle();
  const { admin } = world.member('m1');
  const own = { metadata: { labels: { own: '1' } } };
  await admin.patch(ConfigMap, ref, { type: 'merge', body: own });
  const without = { metadata: { labels: { dropped: null } } };
  await world.client.patch(ConfigMap, ref, { type: 'merge', body: without });
  const resource = { resourceVersion: `after ${created.metadata.resourceVersion}` };
  await world.client.patch(
    ResourceBinding,
    { namespace: 'default', name: 'settings-configmap' },
    { type: 'merge', body: { spec: { resource } } },
  );
  await world.settle();
  const { metadata } = await admin.get(ConfigMap, ref);
  assert.equal(metadata.labels?.kept, '1');
  assert.equal(metadata.labels?.own, '1');
  assert.equal(metadata.labels?.dropped, undefined);
});

test('a document that is too much to be read holds up nothing but its own object', async () => {
  await using world = await startFederation();
  const { client } = world;
  for (const name of ['evil', 'good']) {
    const conf = name === 'evil' ? `a: ${'&a '.repeat(250_000)}x` : 'a: b';
    await client.create(ConfigMap, {
      metadata: { namespace: 'default', name },
      data: { conf },
    } as never);
  }
  const change = { subPath: '/a', operator: 'replace', value: 'c' };
  await client.create(OverridePolicy, {
    metadata: { namespace: 'default', name: 'change' },
    spec: {
      resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
      overrideRules: [
        { overriders: { fieldOverrider: [{ fieldPath: '/data/conf', yaml: [change] }] } },
      ],
    } as never,
  });
  for (const name of ['evil', 'good']) {
    await world.bind(boundTo('v1', 'ConfigMap', name), [{ name: 'm1' }]);
  }
  await world.settle();
  assert.equal(await world.member('m1').find(ConfigMap, 'evil'), undefined);
  const good = await world.member('m1').find(ConfigMap, 'good');
  assert.deepEqual((good as { data?: object } | undefined)?.data, { conf: 'a: c\n' });
  const { items } = await client.list(Event, { namespace: 'default' });
  const told = items
    .filter(({ reason }) => reason === 'SyncWorkFailed')
    .map(({ message }) => message);
  assert.match(told[0] ?? '', /override policy change: it holds no document: .*100000 tokens/);
});
