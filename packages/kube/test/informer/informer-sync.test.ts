import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WatchOptions } from '../../src/client/client.ts';
import { ApiError, ConnectionError } from '../../src/errors.ts';
import type { MemoryCall } from '../support/memory-client.ts';
import { EventLog } from './event-log.ts';
import { at, Thing, thing } from './thing.ts';
import { watchedThings } from './watched-things.ts';

test('the first state arrives in one watch when the server sends initial events', async () => {
  const { clock, client, informer, news, steps } = watchedThings();
  await client.create(Thing, thing('x'));
  await client.create(Thing, thing('y', { namespace: 'b' }));
  let told = 0;
  informer.synced.then(() => {
    told = news.lines.length;
  }, assert.fail);
  await using _ = informer;
  informer.start();
  assert.equal(informer.hasSynced, false);
  await clock.advance(0);
  assert.equal(informer.hasSynced, true);
  assert.equal(told, 2, 'synced only after the handlers had all objects');
  assert.deepEqual(news.take(), ['add a/x@1 initial', 'add b/y@2 initial']);
  await client.create(Thing, thing('z'));
  await client.patch(Thing, at('z'), { type: 'merge', body: { spec: { size: 2 } } });
  await client.delete(Thing, at('x'));
  await clock.advance(0);
  assert.deepEqual(news.take(), ['add a/z@3', 'update a/z@4 from 3', 'delete a/x@5']);
  assert.deepEqual(
    informer.list().map(({ metadata }) => metadata.name),
    ['y', 'z'],
  );
  assert.equal(informer.get(at('z'))?.spec?.size, 2);
  assert.equal(informer.get(at('z', 'b')), undefined);
  assert.deepEqual(steps.take(), [
    'watch started',
    'event ADDED',
    'event MODIFIED',
    'event DELETED',
  ]);
  assert.equal(steps.count, 2);
  assert.equal(steps.resourceVersion, '5');
});

test('a server that refuses initial events is listed in pages, then watched, ever after', async () => {
  const calls: string[] = [];
  const faults = {
    before: ({ verb, options }: MemoryCall) => {
      const { sendInitialEvents } = options as WatchOptions;
      calls.push(sendInitialEvents ? `${verb} with initial events` : verb);
    },
  };
  const { clock, cluster, client, informer, news } = watchedThings({
    watchList: 'refused',
    faults,
  });
  for (let i = 0; i < 501; i += 1) await client.create(Thing, thing(`x${i}`));
  await using _ = informer;
  informer.start();
  await clock.advance(0);
  assert.equal(informer.size, 501);
  assert.equal(news.lines.length, 501);
  assert.deepEqual(calls.splice(0), ['watch with initial events', 'list', 'list', 'watch']);
  cluster.compact();
  for (const watch of cluster.watches) watch.fail(new ConnectionError('reset'));
  await client.delete(Thing, at('x1'));
  cluster.compact();
  await clock.runUntil(() => informer.size === 500, 60_000);
  assert.deepEqual(calls, ['watch', 'list', 'watch']);
});

test('a server that fails on initial events, as one with an old etcd does, is listed', async () => {
  const { clock, client, informer, steps } = watchedThings({
    faults: {
      before: ({ options }) => {
        const { sendInitialEvents } = options as WatchOptions;
        if (sendInitialEvents) throw new ApiError({ code: 500, reason: 'InternalError' });
      },
    },
  });
  await client.create(Thing, thing('x'));
  await using _ = informer;
  informer.start();
  await clock.advance(0);
  assert.equal(informer.hasSynced, true);
  assert.equal(informer.size, 1);
  assert.deepEqual(steps.waits, []);
});

test('a server that ignores initial events is found out by its silence', async () => {
  const { clock, client, informer, steps } = watchedThings({ watchList: 'ignored' });
  await client.create(Thing, thing('x'));
  await using _ = informer;
  informer.start();
  await clock.advance(9_000);
  assert.equal(informer.hasSynced, false);
  await clock.advance(12_000);
  assert.equal(informer.hasSynced, true);
  assert.equal(steps.steps.filter((step) => step === 'list finished').length, 1);
  await client.create(Thing, thing('y'));
  await clock.advance(0);
  assert.equal(informer.size, 2);
});

test('the silence of a server is not held against it while it still sends objects', async () => {
  const { clock, cluster, client, informer, steps } = watchedThings({ watchList: 'ignored' });
  await using _ = informer;
  informer.start();
  for (let i = 0; i < 5; i += 1) {
    await clock.advance(6_000);
    await client.create(Thing, thing(`x${i}`));
  }
  assert.equal(informer.hasSynced, false);
  for (const watch of cluster.watches) {
    watch.bookmark(cluster.revision, { 'k8s.io/initial-events-end': 'true' });
  }
  await clock.advance(0);
  assert.equal(informer.size, 5);
  assert.deepEqual(steps.take(), ['watch started']);
});

test('changes among the initial events count', async () => {
  const { clock, cluster, client, informer, news } = watchedThings({ watchList: 'ignored' });
  await client.create(Thing, thing('x'));
  await client.create(Thing, thing('y'));
  await using _ = informer;
  informer.start();
  await clock.advance(0);
  await client.delete(Thing, at('x'));
  await client.patch(Thing, at('y'), { type: 'merge', body: { spec: { size: 2 } } });
  for (const watch of cluster.watches) {
    watch.bookmark(cluster.revision);
    watch.bookmark(cluster.revision, { 'k8s.io/initial-events-end': 'true' });
  }
  await clock.advance(0);
  assert.deepEqual(news.take(), ['add a/y@4 initial']);
});

test('a first state that cannot be had yet is tried for until it can', async () => {
  let broken = true;
  const { clock, client, informer, steps } = watchedThings({
    watchList: 'refused',
    faults: {
      before: ({ verb }) => {
        if (broken && verb === 'list') throw new ConnectionError('refused');
      },
    },
  });
  await client.create(Thing, thing('x'));
  await using _ = informer;
  informer.start();
  await clock.advance(120_000);
  assert.equal(informer.hasSynced, false);
  assert.ok(steps.steps.includes('list failed refused'));
  const waits = steps.waits;
  assert.ok(waits.length >= 7 && waits.length <= 14, `tried ${waits.length} times`);
  for (const [i, wait] of waits.entries()) {
    const delay = Math.min(800 * 2 ** i, 30_000);
    assert.ok(wait >= delay / 2 && wait <= delay, `wait ${i} was ${wait}`);
  }
  broken = false;
  await clock.advance(30_000);
  assert.equal(informer.hasSynced, true);
  assert.equal(informer.size, 1);
});

test('a list that hangs is given up and tried again', async () => {
  let lists = 0;
  const { clock, informer } = watchedThings({
    watchList: 'refused',
    faults: {
      before: ({ verb }) => {
        lists += verb === 'list' ? 1 : 0;
        return verb === 'list' && lists === 1 ? new Promise<void>(() => {}) : undefined;
      },
    },
  });
  await using _ = informer;
  informer.start();
  await clock.advance(125_000);
  assert.equal(informer.hasSynced, true);
  assert.equal(lists, 2);
});

test('only what is selected is kept, also when labels change', async () => {
  const { clock, client, informer, news } = watchedThings({
    selection: { namespace: 'a', labelSelector: 'app=one' },
  });
  await client.create(Thing, thing('x', { labels: { app: 'one' } }));
  await client.create(Thing, thing('x', { namespace: 'b', labels: { app: 'one' } }));
  await client.create(Thing, thing('y'));
  await using _ = informer;
  informer.start();
  await clock.advance(0);
  const label = (name: string, app: string) =>
    client.patch(Thing, at(name), { type: 'merge', body: { metadata: { labels: { app } } } });
  await label('y', 'one');
  await label('x', 'two');
  await clock.advance(0);
  assert.deepEqual(news.take(), ['add a/x@1 initial', 'add a/y@4', 'delete a/x@5']);
});

test('a handler that comes late gets the present objects at once, then the news', async () => {
  const { clock, client, informer } = watchedThings();
  await client.create(Thing, thing('x'));
  await using _ = informer;
  informer.start();
  await clock.advance(0);
  const late = new EventLog<Thing>();
  informer.addHandler(late);
  assert.deepEqual(late.take(), ['add a/x@1 initial']);
  await client.delete(Thing, at('x'));
  await clock.advance(0);
  assert.deepEqual(late.take(), ['delete a/x@2']);
});

test('an informer that is stopped before it synced says so, and calls no handler again', async () => {
  const { clock, cluster, client, informer, news } = watchedThings({ watchList: 'ignored' });
  informer.start();
  await clock.advance(0);
  await informer.stop();
  await assert.rejects(informer.synced, { name: 'AbortError' });
  await client.create(Thing, thing('x'));
  await clock.advance(600_000);
  assert.deepEqual(news.take(), []);
  assert.deepEqual(cluster.watches, []);
  assert.equal(clock.pendingTimers, 0);
});
