import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { addReadyCluster } from '../support/bindings.ts';
import { startControlPlane } from '../support/control-plane.ts';
import { queueControllers, queuedWorld } from './queued-world.ts';

const LABEL = 'volcano.sh/queue-name';

const start = async () => {
  const plane = await startControlPlane({ controllers: queueControllers });
  await addReadyCluster(plane.client, 'c1');
  const world = queuedWorld(plane.client);
  await world.policy();
  await world.queue('ours', { capability: { cpu: '2' } });
  await world.queue('theirs', {}, { 'queue.perigee.io/namespaces': 'team=other' });
  const label = async (name: string, queue: string | null) => {
    await world.edit(name, { metadata: { labels: { [LABEL]: queue } } });
    await plane.clock.advance(3000);
  };
  return { ...plane, world, label, [Symbol.asyncDispose]: () => plane[Symbol.asyncDispose]() };
};

suite('work that runs', () => {
  test('takes nothing of a queue that its namespace may not use', async () => {
    await using plane = await start();
    const { clock, world, label } = plane;
    await world.job('free', { pods: 3 });
    await clock.advance(3000);
    await label('free', 'theirs');
    assert.equal(await world.told('free'), 'runs in 1');
    assert.equal(await world.status('theirs'), 'Open 0 0 0 0 {}');
    await label('free', 'ours');
    assert.equal(await world.status('ours'), 'Open 0 0 1 0 {"cpu":"3","pods":"3"}');
    await label('free', 'theirs');
    assert.equal(await world.status('ours'), 'Open 0 0 0 0 {}');
    await plane.restart();
    await clock.advance(3000);
    assert.equal(await world.status('theirs'), 'Open 0 0 0 0 {}');
  });

  test('counts in the queue that let it through, whatever queue it names later', async () => {
    await using plane = await start();
    const { clock, world, label } = plane;
    await world.job('a', { queue: 'ours', pods: 2 });
    await clock.advance(3000);
    for (const queue of ['theirs', 'default']) {
      await label('a', queue);
      assert.equal(await world.status('ours'), 'Open 0 0 1 0 {"cpu":"2","pods":"2"}');
      assert.equal(await world.status(queue), 'Open 0 0 0 0 {}');
    }
    await world.job('b', { queue: 'ours' });
    await clock.advance(3000);
    assert.equal(await world.told('b'), 'held WaitingForQuota');
    await world.finish('a');
    await clock.advance(3000);
    assert.equal(await world.told('b'), 'runs in 1');
  });

  test('keeps nobody from the status of its queue, whatever it asks for', async () => {
    await using plane = await start();
    const { client, clock } = plane;
    const name = 'large';
    await client.create(Namespace, { metadata: { name } });
    const large = queuedWorld(client, name);
    await large.policy({ replicaSchedulingType: 'Duplicated' });
    await large.job('endless', { cpu: '1e999', pods: 3 });
    await large.job('one', { queue: 'default' });
    await clock.advance(3000);
    await large.edit('endless', { metadata: { labels: { [LABEL]: 'default' } } });
    await clock.advance(3000);
    assert.match(
      await large.status('default'),
      /^Open 0 0 2 0 \{"cpu":"9223372036854775808","pods":"4"\}$/,
    );
  });
});
