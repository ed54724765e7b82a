import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { startFederation } from '../../support/federation.ts';
import { boundTo } from '../../support/kinds.ts';

const NAMES = Array.from({ length: 60 }, (_, index) => `settings-${index}`);

type World = Awaited<ReturnType<typeof startFederation>>;

const addAll = async (world: World, clusters: readonly string[]) => {
  for (const name of NAMES) {
    await world.client.create(ConfigMap, { metadata: { namespace: 'default', name } } as never);
    await world.bind(
      boundTo('v1', 'ConfigMap', name),
      clusters.map((cluster) => ({ name: cluster })),
    );
  }
};

const countIn = async (world: World, cluster: string): Promise<number> =>
  (await world.member(cluster).admin.list(ConfigMap)).items.length;

test('members that never answer take no place from those that do', async () => {
  await using world = await startFederation({ members: ['m1', 'm2'] });
  world.member('m1').connection = 'hangs';
  await addAll(world, ['m1', 'm2']);
  await world.settle(1000);
  assert.equal(await countIn(world, 'm2'), NAMES.length);
  assert.equal(await countIn(world, 'm1'), 0);
});

test('a member that does not answer is not asked over and over, and gets all when it answers', async () => {
  await using world = await startFederation();
  const member = world.member('m1');
  member.connection = 'cut';
  await addAll(world, ['m1']);
  await world.settle(60_000);
  member.requests.length = 0;
  await world.settle(60_000);
  const asked = member.requests.filter((request) => request !== 'watch configmaps').length;
  assert.ok(asked < 100, `${asked} requests in a minute`);
  member.connection = 'fine';
  await world.settle(1_200_000);
  assert.equal(await countIn(world, 'm1'), NAMES.length);
});

test('a connection that changes is used at once', async () => {
  await using world = await startFederation({ members: ['m1', 'm2'] });
  await addAll(world, ['m1']);
  await world.settle();
  const old = world.member('m1');
  // The cluster is rebuilt elsewhere, and empty.
  world.members.set('m1', world.member('m2'));
  world.reached.changed('m1');
  await world.settle();
  assert.equal((await world.member('m1').admin.list(ConfigMap)).items.length, NAMES.length);
  old.requests.length = 0;
  await world.settle(60_000);
  assert.deepEqual(old.requests, [], 'nobody watches what is no longer used');
});

test('a kind that no Work carries any more is no longer watched', async () => {
  await using world = await startFederation();
  await addAll(world, ['m1']);
  await world.settle();
  await world.client.deleteCollection(ResourceBinding, { namespace: 'default' });
  await world.settle(60_000);
  assert.equal(await countIn(world, 'm1'), 0);
  const member = world.member('m1');
  member.requests.length = 0;
  await world.settle(3_600_000);
  assert.deepEqual(
    member.requests.filter((request) => request.endsWith('configmaps')),
    [],
  );
});
