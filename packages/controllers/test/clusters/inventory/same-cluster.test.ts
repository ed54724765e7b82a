import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { findCondition } from '@perigee/api/values/conditions';
import { Event } from '@perigee/kubernetes/core/event';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { clusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { startInventory } from '../../support/inventory.ts';

type Inventory = Awaited<ReturnType<typeof startInventory>>;

const SAME_AS = 'globalscheduler.com/same-as';

const eventsOf = async ({ client }: Inventory, reason: string) =>
  (await client.list(Event)).items
    .filter((event) => event.reason === reason)
    .map(({ involvedObject }) => involvedObject.name);

const markOf = async ({ targetOf }: Inventory, name: string) =>
  (await targetOf(name))?.metadata.annotations?.[SAME_AS];

test('one cluster under two names is used under the first, until that one is gone', async () => {
  await using inventory = await startInventory();
  const { client, clock, addMember, alias, register, recordOf, conditionOf } = inventory;
  const west = addMember('west');
  await west.addNamespaces('kube-system');
  const { uid } = (await west.find(Namespace, 'kube-system'))?.metadata ?? {};
  alias('again', 'west');
  await register('west');
  await clock.advance(5_000);
  await register('again');
  await clock.advance(60_000);
  assert.equal((await recordOf('west'))?.status?.clusterID, uid);
  assert.equal(await conditionOf('west', 'Unique'), 'Ready: undefined undefined');
  assert.equal(await conditionOf('again', 'Unique'), 'Ready: False SameCluster');
  assert.match(await inventory.messageOf('again', 'Unique'), /same cluster as west/);
  assert.deepEqual(
    [await markOf(inventory, 'west'), await markOf(inventory, 'again')],
    [undefined, 'west'],
  );
  const target = await client.get(MemberCluster, { name: 'again' });
  assert.equal(clusterFacts(target).sameAs, 'west');
  assert.deepEqual(await eventsOf(inventory, 'SameCluster'), ['again']);
  await client.delete(ClusterRecord, { name: 'west' });
  await clock.advance(120_000);
  assert.equal(await recordOf('west'), undefined);
  assert.equal(await conditionOf('again', 'Unique'), 'Ready: undefined undefined');
  assert.equal(await markOf(inventory, 'again'), undefined);
});

test('of two whose ids become known only later, the one that was registered first is used', async () => {
  await using inventory = await startInventory();
  const { clock, addMember, alias, register, conditionOf } = inventory;
  await register('first');
  await clock.advance(5_000);
  await register('second');
  await clock.advance(30_000);
  alias('first', 'west');
  alias('second', 'west');
  const west = addMember('west');
  await west.addNamespaces('kube-system');
  await clock.advance(120_000);
  assert.equal(await conditionOf('first', 'Unique'), 'Ready: undefined undefined');
  assert.equal(await conditionOf('second', 'Unique'), 'Ready: False SameCluster');
  assert.equal(await markOf(inventory, 'second'), 'first');
});

test('a cluster that somebody joined under another name is not adopted, and says why', async () => {
  await using inventory = await startInventory();
  const { client, clock, addMember, register, recordOf, targetOf } = inventory;
  const west = addMember('west');
  await west.addNamespaces('kube-system');
  const { uid: id = '' } = (await west.find(Namespace, 'kube-system'))?.metadata ?? {};
  await register('west');
  await clock.advance(60_000);
  await client.create(MemberCluster, {
    metadata: { name: 'joined' },
    spec: { syncMode: 'Pull', id },
  });
  await clock.advance(30_000);
  assert.equal(await recordOf('joined'), undefined);
  const unique = findCondition((await targetOf('joined'))?.status?.conditions, 'Unique');
  assert.deepEqual([unique?.status, unique?.reason], ['False', 'SameCluster']);
  assert.equal(await markOf(inventory, 'joined'), 'west');
  assert.deepEqual(await eventsOf(inventory, 'SameCluster'), ['joined']);
  await client.delete(ClusterRecord, { name: 'west' });
  await clock.advance(120_000);
  assert.equal((await recordOf('joined'))?.status?.clusterID, id);
  assert.equal(await markOf(inventory, 'joined'), undefined);
  const after = (await targetOf('joined'))?.status?.conditions;
  assert.equal(findCondition(after, 'Unique'), undefined);
});
