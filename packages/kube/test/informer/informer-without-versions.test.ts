import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { List, ListOptions, WatchOptions } from '../../src/client/client.ts';
import { VirtualClock } from '../../src/clock/virtual-clock.ts';
import { ApiError, ConnectionError } from '../../src/errors.ts';
import { MemoryClient } from '../support/memory-client.ts';
import { MemoryCluster } from '../support/memory-cluster.ts';
import { at, Thing, thing } from './thing.ts';
import { watchedThings } from './watched-things.ts';

test('a server without a version is listed again whenever its watch is over', async () => {
  let opened = 0;
  const { clock, cluster, client, informer, news, steps } = watchedThings({
    watchList: 'refused',
    faults: {
      before: async ({ verb }) => {
        opened += verb === 'watch' ? 1 : 0;
        if (verb !== 'watch' || opened !== 2) return;
        await client.create(Thing, thing('late'));
        await client.create(Thing, thing('early'));
      },
    },
  });
  informer.addHandler({
    onAdd: () => {
      for (const watch of cluster.watches) watch.fail(new ConnectionError('reset'));
    },
  });
  await using _ = informer;
  informer.start();
  await clock.advance(0);
  assert.equal(steps.resourceVersion, '0');
  assert.deepEqual(news.take(), ['add a/early@2']);
  await client.delete(Thing, at('early'));
  await clock.advance(2_000);
  assert.deepEqual(news.take(), ['delete a/early@2 last known', 'add a/late@1']);
});

const withoutVersion = <T extends KubeObject>(object: T): T => {
  const { resourceVersion, ...metadata } = object.metadata;
  return { ...object, metadata };
};

/** Gives no versions at all, as metrics servers do, and maybe no watch either. */
class VersionlessClient extends MemoryClient {
  watchable = true;

  override async list<K extends ResourceKind>(kind: K, options?: ListOptions) {
    const { items } = await super.list(kind, options);
    const metadata = {} as List<never>['metadata'];
    return { metadata, items: items.map(withoutVersion) as typeof items };
  }

  override async *watch<K extends ResourceKind>(kind: K, options: WatchOptions = {}) {
    if (options.sendInitialEvents) throw new ApiError({ code: 400 });
    if (!this.watchable) throw new ApiError({ code: 405, reason: 'MethodNotAllowed' });
    for await (const event of super.watch(kind, options)) {
      yield { ...event, object: withoutVersion(event.object) } as typeof event;
    }
  }
}

test('objects without versions are kept up to date by their events, or by lists alone', async () => {
  for (const watchable of [true, false]) {
    const clock = new VirtualClock();
    const cluster = new MemoryCluster({ clock, kinds: [Thing] });
    const client = new VersionlessClient(cluster);
    client.watchable = watchable;
    const { informer } = watchedThings({ clock, client });
    await using _ = informer;
    const admin = new MemoryClient(cluster);
    await admin.create(Thing, thing('x'));
    await admin.create(Thing, thing('y'));
    informer.start();
    await clock.advance(0);
    for (const size of [2, 3]) {
      const body = { spec: { size } };
      await admin.patch(Thing, at('x'), { type: 'merge', body });
      await clock.advance(watchable ? 0 : 60_000);
      assert.equal(informer.get(at('x'))?.spec?.size, size);
    }
    for (const watch of cluster.watches) watch.fail(new ConnectionError('reset'));
    await admin.delete(Thing, at('y'));
    await clock.advance(60_000);
    assert.equal(informer.size, 1);
  }
});
