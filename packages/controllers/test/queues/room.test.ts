import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { formatTime } from '@perigee/schema/values/time';
import { addReadyCluster } from '../support/bindings.ts';
import { startControlPlane } from '../support/control-plane.ts';
import { queueControllers, queuedWorld } from './queued-world.ts';

suite('the room that queues count with', () => {
  let plane: Awaited<ReturnType<typeof startControlPlane>>;
  let world: ReturnType<typeof queuedWorld>;

  /** A cluster of two nodes of 4 cpus, of which so many are free on each. */
  const count = async (cluster: string, cpu: string) => {
    const each = (free: string) => [{ nodes: 2, each: [free, '10'] }];
    const pools = [{ free: each(cpu), whole: each('4') }];
    const countedAt = formatTime(plane.clock.now());
    const spec = { countedAt, nodes: 2, resources: ['cpu', 'pods'], pools };
    const ref = { namespace: `karmada-es-${cluster}`, name: cluster };
    const patch = { type: 'merge', body: { spec } } as const;
    await plane.client.patch(ClusterRoom, ref, patch).catch(async () => {
      await plane.client.create(Namespace, { metadata: { name: ref.namespace } });
      await plane.client.create(ClusterRoom, { metadata: ref, spec });
    });
    await plane.clock.advance(2_000);
  };

  const clustersOf = async (...names: readonly string[]) => {
    const bindings = await Promise.all(names.map((name) => world.binding(name)));
    return bindings.map((one) =>
      (one?.spec.clusters ?? []).map(({ name, replicas }) => `${name}:${replicas}`).join(),
    );
  };

  before(async () => {
    plane = await startControlPlane({ controllers: queueControllers });
    for (const name of ['c1', 'c2']) {
      await addReadyCluster(plane.client, name);
      await count(name, '4');
    }
    world = queuedWorld(plane.client);
    await world.policy();
    await world.queue('q');
  });
  after(() => plane[Symbol.asyncDispose]());

  test('is not given twice to work that is let through in one moment', async () => {
    for (const name of ['a', 'b', 'c']) await world.job(name, { queue: 'q', cpu: '2', pods: 4 });
    await plane.clock.advance(2_000);
    const [a, b] = await clustersOf('a', 'b');
    assert.deepEqual([a, b].sort(), ['c1:4', 'c2:4']);
    assert.equal(await world.told('c'), 'held WaitingForCapacity');
    assert.match(
      await world.message('c'),
      /: cpu 8 is missing where it may run \(c\d has room for 0 of 4, 8 cpu short; c\d .*\); number 1 in line/,
    );
  });

  test('is not asked for by work that can never fit, which is told at once', async () => {
    await world.job('wide', { queue: 'q', cpu: '5', pods: 1 });
    await plane.clock.advance(2_000);
    assert.equal(await world.told('wide'), 'held NeverFits');
    assert.match(await world.message('wide'), /if nothing else ran: .* 5 cpu short/);
  });

  /** The member says that the work is there. */
  const land = (name: string, clusterName: string, namespace = 'default') =>
    plane.client.patch(
      ResourceBinding,
      { namespace, name: `${name}-job` },
      {
        type: 'merge',
        body: { status: { aggregatedStatus: [{ clusterName, status: { active: 4 } }] } },
      },
      { subresource: 'status' },
    );

  test('is that of the next count when the work is part of it', async () => {
    const [a = ''] = await clustersOf('a');
    const [cluster = ''] = a.split(':');
    await land('a', cluster);
    await count(cluster, '0');
    assert.equal(await world.told('c'), 'held WaitingForCapacity');
    await world.finish('a');
    await count(cluster, '4');
    assert.deepEqual(await clustersOf('c'), [`${cluster}:4`]);
  });

  test('stays promised to work that is there until a later count tells of it', async () => {
    await addReadyCluster(plane.client, 'slow');
    await count('slow', '4');
    await plane.client.create(Namespace, { metadata: { name: 'slow' } });
    const slow = queuedWorld(plane.client, 'slow');
    await slow.policy(undefined, { clusterAffinity: { clusterNames: ['slow'] } });
    await slow.job('first', { queue: 'q', cpu: '2', pods: 4 });
    await plane.clock.advance(1_000);
    assert.equal(await slow.told('first'), 'runs in 1');
    await land('first', 'slow', 'slow');
    await slow.job('second', { queue: 'q', cpu: '2', pods: 4 });
    // A large cluster tells every eight seconds; what it told meanwhile was counted before.
    await count('slow', '4');
    await plane.clock.advance(20_000);
    assert.equal(await slow.told('second'), 'held WaitingForCapacity');
    await count('slow', '0');
    await slow.finish('first');
    assert.equal(await slow.told('second'), 'held WaitingForCapacity', 'it is counted once');
    await count('slow', '4');
    assert.equal(await slow.told('second'), 'runs in 1');
  });

  test('is looked for again when clusters become others, also by what could never fit', async () => {
    await world.queue('q2');
    const affinity = { clusterAffinity: { labelSelector: { matchLabels: { disk: 'fast' } } } };
    const other = queuedWorld(plane.client, 'other');
    await plane.client.create(Namespace, { metadata: { name: 'other' } });
    await other.policy(undefined, affinity);
    await other.job('picky', { queue: 'q2', cpu: '100m' });
    await plane.clock.advance(2_000);
    assert.equal(await other.told('picky'), 'held NeverFits');
    await addReadyCluster(plane.client, 'c3');
    await plane.clock.advance(2_000);
    const patch = { type: 'merge', body: { metadata: { labels: { disk: 'fast' } } } } as const;
    await plane.client.patch(MemberCluster, { name: 'c3' }, patch);
    await plane.clock.advance(2_000);
    assert.equal(await other.told('picky'), 'runs in 1');
  });
});
