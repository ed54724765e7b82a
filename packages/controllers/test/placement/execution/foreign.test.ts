import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Work } from '@perigee/api/kinds/placement/work';
import { findCondition } from '@perigee/api/values/conditions';
import { workName } from '@perigee/api/values/karmada-names';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { startFederation } from '../../support/federation.ts';
import { boundTo } from '../../support/kinds.ts';

type World = Awaited<ReturnType<typeof startFederation>>;

const NAMESPACE = 'karmada-es-m1';

const manifest = (work: string, metadata: object = {}, kind = 'ConfigMap') => ({
  apiVersion: kind === 'ConfigMap' ? 'v1' : 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: {
    namespace: 'default',
    name: 'settings',
    ...metadata,
    labels: { 'karmada.io/managed': 'true' },
    annotations: { 'work.karmada.io/namespace': NAMESPACE, 'work.karmada.io/name': work },
  },
});

const BOUND = {
  'resourcebinding.karmada.io/namespace': 'default',
  'resourcebinding.karmada.io/name': 'settings-configmap',
};

const send = async (world: World, name: string, object: object, annotations: object = BOUND) => {
  await world.client.create(Work, {
    metadata: { namespace: NAMESPACE, name, annotations } as never,
    spec: { workload: { manifests: [object as never] } },
  });
  await world.settle();
  const { status } = await world.client.get(Work, { namespace: NAMESPACE, name });
  return findCondition(status?.conditions, 'Applied')?.message ?? '';
};

const bindOther = (world: World) =>
  world.bind(boundTo('v1', 'ConfigMap', 'settings'), [{ name: 'm1' }]);

for (const [title, object, message] of [
  ['of another namespace', manifest('w', { namespace: 'kube-system' }), /namespace kube-system/],
  ['of a kind without namespaces', manifest('w', {}, 'ClusterRole'), /has no namespace/],
  ['of another kind', manifest('w', {}, 'RoleBinding'), /would be named/],
] as const) {
  test(`a Work of a binding does not carry an object ${title}`, async () => {
    await using world = await startFederation();
    await world.member('m1').addNamespaces('kube-system');
    await bindOther(world);
    const name = workName('ConfigMap', 'settings', 'default');
    const before = world.member('m1').revision;
    assert.match(await send(world, name, object), message);
    assert.equal(world.member('m1').revision, before);
  });
}

test('a Work that an administrator writes by hand carries anything', async () => {
  await using world = await startFederation();
  await world.member('m1').addNamespaces('kube-system');
  const object = manifest('by-hand', { namespace: 'kube-system' });
  assert.match(await send(world, 'by-hand', object, {}), /success/);
  assert.notEqual(await world.member('m1').find(ConfigMap, 'settings', 'kube-system'), undefined);
});

test('what one Work has brought, another does not take, not even to overwrite', async () => {
  await using world = await startFederation();
  const first = { ...manifest('first'), data: { by: 'first' } };
  assert.match(await send(world, 'first', first, {}), /success/);
  const { metadata } = manifest('second');
  const annotations = {
    ...metadata.annotations,
    'work.karmada.io/conflict-resolution': 'overwrite',
  };
  const second = {
    ...manifest('second'),
    metadata: { ...metadata, annotations },
    data: { by: 'second' },
  };
  assert.match(await send(world, 'second', second, {}), /by the Work karmada-es-m1\/first/);
  const there = async () => (await world.member('m1').find(ConfigMap, 'settings'))?.data;
  assert.deepEqual(await there(), { by: 'first' });

  await world.client.delete(Work, { namespace: NAMESPACE, name: 'first' });
  await world.settle(60_000);
  assert.deepEqual(await there(), { by: 'second' });
});
