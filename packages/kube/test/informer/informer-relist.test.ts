import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { WatchOptions } from '../../src/client/client.ts';
import { VirtualClock } from '../../src/clock/virtual-clock.ts';
import { ConnectionError } from '../../src/errors.ts';
import { MemoryClient } from '../support/memory-client.ts';
import { MemoryCluster } from '../support/memory-cluster.ts';
import { at, Thing, thing } from './thing.ts';
import { syncedThings, watchedThings } from './watched-things.ts';

test('a version that is gone makes the informer list again and tell what changed', async () => {
  for (const watchList of ['served', 'refused'] as const) {
    const { clock, cluster, client, grow, informer, news, steps } = await syncedThings({
      watchList,
    });
    await using _ = informer;
    await client.create(Thing, thing('gone'));
    await client.create(Thing, thing('replaced'));
    await client.create(Thing, thing('same'));
    await clock.advance(0);
    news.take();
    for (const watch of cluster.watches) watch.fail(new ConnectionError('reset'));
    await grow('x', 2);
    await client.delete(Thing, at('gone'));
    await client.delete(Thing, at('replaced'));
    await client.create(Thing, thing('replaced'));
    await client.create(Thing, thing('new'));
    cluster.compact();
    await clock.advance(3_000);
    assert.deepEqual(news.take().toSorted(), [
      'add a/new@9',
      'add a/replaced@8',
      'delete a/gone@2 last known',
      'delete a/replaced@3 last known',
      'update a/x@5 from 1',
    ]);
    assert.ok(steps.steps.includes('relist expired'), watchList);
    assert.equal(informer.size, 4);
    await grow('x', 3);
    await clock.advance(0);
    assert.deepEqual(news.take(), ['update a/x@10 from 5']);
  }
});

test('a name that is used again is seen to go before it comes back', async () => {
  const { clock, cluster, client, informer, news } = await syncedThings();
  await using _ = informer;
  for (const watch of cluster.watches) watch.fail(new ConnectionError('reset'));
  await client.delete(Thing, at('x'));
  await client.create(Thing, thing('x'));
  cluster.compact();
  await clock.advance(3_000);
  assert.deepEqual(news.take(), ['delete a/x@1 last known', 'add a/x@3']);
});

test('a relist that fails or breaks half-way leaves the cache as it was', async () => {
  let broken = true;
  const { clock, cluster, client, informer, news, steps } = await syncedThings({
    watchList: 'refused',
    faults: {
      before: ({ verb, options }) => {
        const { continue: token } = options as { continue?: string };
        if (verb === 'list' && token && broken) throw new ConnectionError('reset');
      },
    },
  });
  await using _ = informer;
  for (const watch of cluster.watches) watch.fail(new ConnectionError('reset'));
  for (let i = 0; i < 501; i += 1) await client.create(Thing, thing(`a${i}`));
  cluster.compact();
  await clock.advance(60_000);
  assert.ok(steps.steps.includes('list failed reset'));
  assert.equal(informer.size, 1);
  assert.equal(informer.hasSynced, true);
  assert.deepEqual(news.take(), []);
  broken = false;
  await clock.advance(60_000);
  assert.equal(informer.size, 502);
});

test('initial events that break off leave the cache as it was', async () => {
  const { clock, cluster, client, informer, news } = await syncedThings();
  await using _ = informer;
  const interrupt = () => {
    for (const watch of cluster.watches) watch.fail(new ConnectionError('reset'));
  };
  interrupt();
  await client.create(Thing, thing('y'));
  cluster.compact();
  cluster.watchList = 'ignored';
  await clock.advance(5_000);
  interrupt();
  await clock.advance(0);
  assert.equal(informer.size, 1);
  assert.deepEqual(news.take(), []);
  cluster.watchList = 'served';
  await clock.advance(5_000);
  assert.deepEqual(news.take(), ['add a/y@2']);
});

test('a version that the server does not have yet makes the informer list again', async () => {
  const { clock, cluster, informer, steps } = await syncedThings();
  await using _ = informer;
  for (const watch of cluster.watches) {
    watch.bookmark(1000);
    watch.end();
  }
  await clock.advance(3_000);
  assert.ok(steps.steps.includes('relist version-too-large'));
  assert.equal(informer.size, 1);
  assert.equal(steps.resourceVersion, '1');
});

/** Watches from a version that the server has yet to reach as kube-apiserver does: without a word. */
class SilentClient extends MemoryClient {
  override async *watch<K extends ResourceKind>(kind: K, options: WatchOptions = {}) {
    const { resourceVersion, timeoutSeconds = 0, signal } = options;
    if (Number(resourceVersion) > this.cluster.revision) {
      await this.cluster.clock.sleep(timeoutSeconds * 1000, signal);
    } else yield* super.watch(kind, options);
  }
}

test('a server that was restored to an earlier state is listed again after a silent watch', async () => {
  const clock = new VirtualClock();
  const cluster = new MemoryCluster({ clock, kinds: [Thing] });
  const client = new SilentClient(cluster);
  const { informer, steps } = watchedThings({ clock, client });
  await using _ = informer;
  informer.start();
  await clock.advance(0);
  for (const watch of cluster.watches) {
    watch.bookmark(1000);
    watch.end();
  }
  await clock.advance(0);
  await client.create(Thing, thing('x'));
  await clock.advance(299_000);
  assert.equal(informer.size, 0);
  await clock.advance(301_000);
  assert.equal(informer.size, 1);
  assert.ok(steps.take().includes('relist silence'));
  cluster.sendBookmarks();
  await clock.advance(600_000);
  assert.ok(!steps.take().includes('relist silence'), 'a bookmark is a word');
});

test('initial events that end too early are a failure like any other', async () => {
  const { clock, cluster, client, informer, steps } = watchedThings({ watchList: 'ignored' });
  await client.create(Thing, thing('x'));
  await using _ = informer;
  informer.start();
  await clock.advance(5_000);
  for (const watch of cluster.watches) watch.end();
  cluster.watchList = 'served';
  await clock.advance(5_000);
  assert.deepEqual(steps.take(), [
    'watch started',
    'watch failed the watch ended before its initial events did',
    'watch started',
  ]);
  assert.equal(steps.waits.length, 1);
  assert.equal(informer.size, 1);
});
