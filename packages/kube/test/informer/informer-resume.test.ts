import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WatchOptions } from '../../src/client/client.ts';
import { ApiError, ConnectionError } from '../../src/errors.ts';
import type { MemoryCall } from '../support/memory-client.ts';
import { at, Thing, thing } from './thing.ts';
import { watchedThings } from './watched-things.ts';

const synced = async (options: Parameters<typeof watchedThings>[0] = {}) => {
  const versions: (string | undefined)[] = [];
  const setting = watchedThings({
    ...options,
    faults: {
      before: (call: MemoryCall) => {
        const { resourceVersion } = call.options as WatchOptions;
        if (call.verb === 'watch') versions.push(resourceVersion);
        return options.faults?.before?.(call);
      },
    },
  });
  await setting.client.create(Thing, thing('x'));
  setting.informer.start();
  await setting.clock.advance(0);
  setting.news.take();
  setting.steps.take();
  const grow = (name: string, size: number) =>
    setting.client.patch(Thing, at(name), { type: 'merge', body: { spec: { size } } });
  return { ...setting, versions, grow };
};

test('a watch ends on its own after 5 to 10 minutes and goes on at once where it was', async () => {
  const { clock, cluster, grow, informer, news, steps, versions } = await synced();
  await using _ = informer;
  await grow('x', 2);
  cluster.sendBookmarks();
  await clock.advance(299_000);
  assert.equal(versions.length, 1);
  await clock.advance(301_000);
  assert.deepEqual(versions, [undefined, '2']);
  assert.deepEqual(steps.take(), ['event MODIFIED', 'bookmark', 'watch ended', 'watch started']);
  assert.deepEqual(steps.waits, []);
  await grow('x', 3);
  await clock.advance(0);
  assert.deepEqual(news.take(), ['update a/x@2 from 1', 'update a/x@3 from 2']);
});

test('a bookmark moves the place from which a broken watch is resumed', async () => {
  const { clock, cluster, client, informer, versions } = await synced({
    selection: { namespace: 'a' },
  });
  await using _ = informer;
  for (let i = 0; i < 10; i += 1) await client.create(Thing, thing(`y${i}`, { namespace: 'b' }));
  cluster.sendBookmarks();
  await clock.advance(0);
  for (const watch of cluster.watches) watch.end();
  await clock.advance(0);
  assert.deepEqual(versions, [undefined, '11']);
});

const failures = {
  'a reset': new ConnectionError('reset'),
  'an internal error': new ApiError({ code: 500, reason: 'InternalError', message: 'oops' }),
  'an error that nobody foresaw': new TypeError('x is not a function'),
};
for (const [what, error] of Object.entries(failures)) {
  test(`${what} makes the watch resume after a wait, with nothing lost`, async () => {
    const { clock, cluster, client, grow, informer, news, steps, versions } = await synced();
    await using _ = informer;
    for (const watch of cluster.watches) watch.fail(error);
    await grow('x', 2);
    await client.create(Thing, thing('y'));
    await client.delete(Thing, at('x'));
    await clock.advance(300);
    assert.deepEqual(news.take(), []);
    await clock.advance(500);
    assert.deepEqual(versions, [undefined, '1']);
    assert.deepEqual(news.take(), ['update a/x@2 from 1', 'add a/y@3', 'delete a/x@4']);
    assert.equal(steps.steps[0], `watch failed ${error.message}`);
    assert.ok(!steps.steps.some((step) => step.startsWith('relist')));
  });
}

test('waits grow while a server fails and shrink when it speaks again', async () => {
  let broken = false;
  const { clock, cluster, grow, informer, steps } = await synced({
    faults: {
      before: () => {
        if (broken) throw new ApiError({ code: 503, reason: 'ServiceUnavailable' });
      },
    },
  });
  await using _ = informer;
  const interrupt = () => {
    for (const watch of cluster.watches) watch.fail(new ConnectionError('reset'));
  };
  broken = true;
  interrupt();
  await clock.advance(20_000);
  assert.ok((steps.waits.at(-1) ?? 0) > 3_000, `${steps.waits}`);
  broken = false;
  await clock.advance(30_000);
  await grow('x', 2);
  await clock.advance(0);
  interrupt();
  await clock.advance(900);
  assert.ok((steps.waits.at(-1) ?? 0) <= 800, `${steps.waits}`);
});

test('a server that asks to wait is left alone for that long', async () => {
  const { clock, cluster, informer, steps } = await synced();
  await using _ = informer;
  const busy = new ApiError({
    code: 429,
    reason: 'TooManyRequests',
    details: { retryAfterSeconds: 7 },
  });
  for (const watch of cluster.watches) watch.fail(busy);
  await clock.advance(6_900);
  assert.deepEqual(cluster.watches, []);
  await clock.advance(200);
  assert.equal(cluster.watches.length, 1);
  assert.deepEqual(steps.waits, [7000]);
});

test('a watch that ends at once without a word is not opened again and again', async () => {
  const { clock, cluster, informer, versions } = await synced();
  await using _ = informer;
  for (const watch of cluster.watches) watch.end();
  for (let ms = 0; ms < 20_000; ms += 100) {
    await clock.advance(100);
    for (const watch of cluster.watches) watch.end();
  }
  assert.ok(versions.length < 10, `${versions.length} watches`);
});

test('a half-open watch is given up some time after it should have ended', async () => {
  const { clock, cluster, grow, informer, news, steps } = await synced();
  await using _ = informer;
  for (const watch of cluster.watches) watch.stall();
  await grow('x', 2);
  await clock.advance(299_000);
  assert.deepEqual(news.take(), []);
  await clock.advance(335_000);
  assert.deepEqual(news.take(), ['update a/x@2 from 1']);
  assert.match(steps.steps[0] ?? '', /watch failed Timed out/);
});

test('a version that is gone makes the informer list again and tell what changed', async () => {
  for (const watchList of ['served', 'refused'] as const) {
    const { clock, cluster, client, grow, informer, news, steps } = await synced({ watchList });
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
  const { clock, cluster, client, informer, news } = await synced();
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
  const { clock, cluster, client, informer, news, steps } = await synced({
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
  const { clock, cluster, client, informer, news } = await synced();
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
  const { clock, cluster, informer, steps } = await synced();
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
