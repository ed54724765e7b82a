import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, ConnectionError } from '../../src/errors.ts';
import { at, Thing, thing } from './thing.ts';
import { syncedThings } from './watched-things.ts';

test('a watch ends on its own after 5 to 10 minutes and goes on at once where it was', async () => {
  const { clock, cluster, grow, informer, news, steps, versions } = await syncedThings();
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
  const { clock, cluster, client, informer, versions } = await syncedThings({
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
    const { clock, cluster, client, grow, informer, news, steps, versions } = await syncedThings();
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
  const { clock, cluster, grow, informer, steps } = await syncedThings({
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
  const { clock, cluster, informer, steps } = await syncedThings();
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
  const { clock, cluster, informer, versions } = await syncedThings();
  await using _ = informer;
  for (const watch of cluster.watches) watch.end();
  for (let ms = 0; ms < 20_000; ms += 100) {
    await clock.advance(100);
    for (const watch of cluster.watches) watch.end();
  }
  assert.ok(versions.length < 10, `${versions.length} watches`);
});

test('nor is one that says only what is known before it ends', async () => {
  const { clock, cluster, grow, informer, versions } = await syncedThings();
  await using _ = informer;
  await grow('x', 2);
  await clock.advance(0);
  for (const watch of cluster.watches) watch.end();
  for (let ms = 0; ms < 20_000; ms += 100) {
    await clock.advance(100);
    for (const watch of cluster.watches) {
      watch.bookmark(2);
      watch.bookmark(1);
      watch.end();
    }
  }
  assert.ok(versions.length < 10, `${versions.length} watches`);
});

test('a server that asks for a day is asked again after two minutes', async () => {
  const { clock, cluster, grow, informer, news } = await syncedThings();
  await using _ = informer;
  const closed = new ApiError({ code: 503, details: { retryAfterSeconds: 86_400 } });
  for (const watch of cluster.watches) watch.fail(closed);
  await grow('x', 2);
  await clock.advance(120_000);
  assert.deepEqual(news.take(), ['update a/x@2 from 1']);
});

test('a half-open watch is given up some time after it should have ended', async () => {
  const { clock, cluster, grow, informer, news, steps } = await syncedThings();
  await using _ = informer;
  for (const watch of cluster.watches) watch.stall();
  await grow('x', 2);
  await clock.advance(299_000);
  assert.deepEqual(news.take(), []);
  await clock.advance(335_000);
  assert.deepEqual(news.take(), ['update a/x@2 from 1']);
  assert.match(steps.steps[0] ?? '', /watch failed Timed out/);
});
