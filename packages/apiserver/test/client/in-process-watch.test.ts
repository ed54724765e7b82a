import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import type { WatchOptions } from '@perigee/kube/client/client';
import { isInitialEventsEnd } from '@perigee/kube/client/initial-events-end';
import { isGone, isNotServed } from '@perigee/kube/errors';
import { at, ConfigMap, refused, setUpApi, Widget } from '../registry/registry-fixture.ts';

const setUpWatch = async (options = {}) => {
  const api = await setUpApi(options);
  const follow = (watch: WatchOptions = {}) => {
    const lines: string[] = [];
    const stop = new AbortController();
    const signal = watch.signal ?? stop.signal;
    const done = (async () => {
      for await (const event of api.client.watch(Widget, { ...watch, signal })) {
        const { name = '-', resourceVersion } = event.object.metadata;
        const isEnd = isInitialEventsEnd(event) ? ' end of initial' : '';
        lines.push(`${event.type} ${name}@${resourceVersion}${isEnd}`);
      }
    })();
    const take = async () => {
      await api.clock.advance(0);
      return lines.splice(0);
    };
    return { take, stop, done };
  };
  const label = (name: string, app: string | null) =>
    api.client.patch(Widget, at(name), { type: 'merge', body: { metadata: { labels: { app } } } });
  return { ...api, follow, label };
};

test('a watch from a version tells everything after it, in order', async () => {
  const { client, widget, follow, label } = await setUpWatch();
  const x = await widget('x');
  await label('x', 'one');
  const watch = follow({ resourceVersion: x.metadata.resourceVersion });
  await widget('y');
  await client.delete(Widget, at('x'));
  assert.deepEqual(await watch.take(), ['MODIFIED x@3', 'ADDED y@4', 'DELETED x@5']);
  watch.stop.abort();
  await assert.rejects(watch.done, { name: 'AbortError' });
});

test('a watch without a version begins with what is there', async () => {
  const { widget, follow } = await setUpWatch();
  await widget('x');
  const watch = follow();
  const initial = follow({ sendInitialEvents: true });
  await widget('y');
  assert.deepEqual(await watch.take(), ['ADDED x@2', 'ADDED y@3']);
  assert.deepEqual(await initial.take(), ['ADDED x@2', 'BOOKMARK -@2 end of initial', 'ADDED y@3']);
});

test('an object that enters or leaves the selection comes and goes', async () => {
  const { client, widget, follow, label } = await setUpWatch();
  await widget('x', { size: 1 }, { labels: { app: 'one' } });
  const watch = follow({ labelSelector: 'app=two', sendInitialEvents: true });
  await widget('y');
  await label('x', 'two');
  await client.patch(Widget, at('x'), { type: 'merge', body: { spec: { size: 2 } } });
  await label('x', null);
  await label('y', 'two');
  await client.delete(Widget, at('y'));
  await client.delete(Widget, at('x'));
  assert.deepEqual(await watch.take(), [
    'BOOKMARK -@2 end of initial',
    'ADDED x@4',
    'MODIFIED x@5',
    'DELETED x@6',
    'ADDED y@7',
    'DELETED y@8',
  ]);
});

test('bookmarks tell how far a quiet watch has come, once a minute and before its end', async () => {
  const { client, clock, follow } = await setUpWatch();
  const watch = follow({ resourceVersion: '1', timeoutSeconds: 100 });
  await client.create(ConfigMap, { metadata: at('m') });
  assert.deepEqual(await watch.take(), []);
  await clock.advance(60_000);
  assert.deepEqual(await watch.take(), ['BOOKMARK -@2']);
  await client.create(ConfigMap, { metadata: at('n') });
  await clock.advance(38_000);
  assert.deepEqual(await watch.take(), ['BOOKMARK -@3']);
  await clock.advance(2000);
  await watch.done;
});

test('a version that is forgotten is gone, one that is to come is too large', async () => {
  const { widget, follow } = await setUpWatch({ history: { events: 2 } });
  for (const name of ['x', 'y', 'z', 'u', 'v']) await widget(name);
  await assert.rejects(follow({ resourceVersion: '1' }).done, (error) => {
    assert.ok(refused(410, 'Expired', /^too old resource version: 1 /)(error));
    return isGone(error);
  });
  await assert.rejects(follow({ resourceVersion: '99' }).done, refused(504, 'Timeout'));
});

test('a watch ends with its reader, and one of an unknown kind never begins', async () => {
  const { client, widget } = await setUpWatch();
  await widget('x');
  for await (const event of client.watch(Widget)) {
    assert.equal(event.type, 'ADDED');
    break;
  }
  const signal = AbortSignal.abort(new Error('enough'));
  const stopped = client.watch(Widget, { signal })[Symbol.asyncIterator]();
  await assert.rejects(stopped.next(), { message: 'enough' });
  const unknown = { ...Widget, plural: 'gadgets' };
  await assert.rejects(async () => {
    for await (const _ of client.watch(unknown)) assert.fail('there is no such kind');
  }, isNotServed);
  await assert.rejects(client.list(unknown), isNotServed);
});

test('a watch that ends by itself leaves nothing on a signal that lives on', async () => {
  const { client, clock } = await setUpApi();
  const { signal } = new AbortController();
  const watch = client.watch(Widget, { signal, timeoutSeconds: 1 });
  const end = watch[Symbol.asyncIterator]().next();
  assert.equal(getEventListeners(signal, 'abort').length, 1);
  await clock.advance(1000);
  assert.equal((await end).done, true);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  const failing = client.watch(Widget, { signal, resourceVersion: 'nonsense' });
  await assert.rejects(failing[Symbol.asyncIterator]().next(), refused(400, 'BadRequest'));
  await clock.advance(0);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});
