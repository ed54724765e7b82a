import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Client } from '@perigee/kube/client/client';
import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import { NotLeaderError } from '@perigee/kube/errors';
import { addReadyCluster } from '../support/bindings.ts';
import { startControlPlane } from '../support/control-plane.ts';
import { queueControllers, queuedWorld } from './queued-world.ts';

/** A plane where something happens right before the dispatcher takes back work, at the first try. */
const planeWith = async (happens: (client: Client) => Promise<void>) => {
  let hasHappened = false;
  // A restart starts the same controllers again, as in a process that leads once more.
  let controllers: readonly ControllerDefinition[] | undefined;
  const reach = (client: Client): Client => {
    const patch: Client['patch'] = async (kind, ref, change, options) => {
      const { spec } = (change as { body: { spec?: { clusters?: unknown } } }).body;
      const isTaking = options?.fieldManager === 'perigee-dispatcher' && spec?.clusters === null;
      if (isTaking && !hasHappened) {
        hasHappened = true;
        await happens(client);
      }
      return client.patch(kind, ref, change, options);
    };
    return new Proxy(client, {
      get: (target, name: keyof Client) =>
        name === 'patch' ? patch : (target[name] as () => unknown).bind(target),
    });
  };
  const plane = await startControlPlane({
    controllers: (parts) => {
      controllers ??= queueControllers(parts, true);
      return controllers;
    },
    reach,
  });
  await addReadyCluster(plane.client, 'c1');
  const world = queuedWorld(plane.client);
  await world.policy();
  await world.queue('all', { capability: { cpu: '2' } });
  await world.queue('owner', { parent: 'all', deserved: { cpu: '1' } });
  await world.queue('borrower', { parent: 'all', deserved: { cpu: '1' } });
  for (const name of ['a', 'b']) {
    await world.job(name, { queue: 'borrower' });
    await plane.clock.advance(10);
  }
  await plane.clock.advance(3000);
  assert.equal(await world.told('b'), 'runs in 1');
  await world.job('mine', { queue: 'owner' });
  return { ...plane, world, [Symbol.asyncDispose]: () => plane[Symbol.asyncDispose]() };
};

suite('work that was chosen to give back its room', () => {
  test('is left alone when it came to its end meanwhile: it would run again', async () => {
    await using plane = await planeWith((client) => queuedWorld(client).finish('b'));
    const { clock, world } = plane;
    await clock.advance(60_000);
    assert.deepEqual([await world.told('b'), await world.told('mine')], ['runs in 1', 'runs in 1']);
    const { gracefulEvictionTasks = [] } = (await world.binding('b'))?.spec ?? {};
    assert.deepEqual(gracefulEvictionTasks, []);
  });

  test('is not meant again by its name when it was deleted meanwhile', async () => {
    await using plane = await planeWith((client) => queuedWorld(client).remove('b'));
    const { clock, world } = plane;
    await clock.advance(3000);
    assert.equal(await world.told('mine'), 'runs in 1');
    await world.finish('a');
    await world.job('b', { queue: 'borrower' });
    await clock.advance(5000);
    assert.equal(await world.told('b'), 'runs in 1');
  });

  test('is left alone in another term of the leadership, when nobody needs the room any more', async () => {
    let isOver = false;
    await using plane = await planeWith(async (client) => {
      isOver = true;
      await queuedWorld(client).remove('mine');
      throw new NotLeaderError('another process leads');
    });
    const { clock, world } = plane;
    for (let ms = 0; !isOver && ms < 5000; ms += 1) await clock.advance(1);
    assert.ok(isOver, 'the dispatcher tried to take back work');
    await plane.restart();
    await clock.advance(5000);
    assert.deepEqual([await world.told('a'), await world.told('b')], ['runs in 1', 'runs in 1']);
  });
});
