import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventLog } from './event-log.ts';
import { at, Thing, thing } from './thing.ts';
import { watchedThings } from './watched-things.ts';

test('a handler that throws or rejects disturbs neither the informer nor other handlers', async () => {
  const { clock, client, informer, steps } = watchedThings();
  informer.addHandler({
    onAdd: () => {
      throw new Error('sync');
    },
    onUpdate: () => Promise.reject(new Error('async')),
  });
  const after = new EventLog<Thing>();
  informer.addHandler(after);
  await using _ = informer;
  informer.start();
  await client.create(Thing, thing('x'));
  await client.patch(Thing, at('x'), { type: 'merge', body: { spec: { size: 2 } } });
  await clock.advance(0);
  await client.delete(Thing, at('x'));
  await clock.advance(0);
  assert.equal(informer.hasSynced, true);
  assert.deepEqual(after.take().slice(-2), ['update a/x@2 from 1', 'delete a/x@3']);
  assert.deepEqual(
    steps.take().filter((step) => step.startsWith('handler failed')),
    ['handler failed sync', 'handler failed async'],
  );
});

test('the cache and its indexes already have what a handler is told', async () => {
  const { clock, client, informer } = watchedThings();
  informer.addIndexer('size', ({ spec }) => [String(spec?.size)]);
  const seen: string[] = [];
  const look = (what: string, { metadata, spec }: Thing) => {
    const cached = informer.get(metadata)?.metadata.resourceVersion;
    const indexed = informer.byIndex('size', String(spec?.size)).length;
    seen.push(`${what} ${metadata.resourceVersion}: ${cached}, ${indexed}`);
  };
  informer.addHandler({
    onAdd: (object) => look('add', object),
    onUpdate: (object, old) => {
      look('update', object);
      look('old', old);
    },
    onDelete: (object) => look('delete', object),
  });
  await using _ = informer;
  informer.start();
  await clock.advance(0);
  await client.create(Thing, thing('x'));
  await client.patch(Thing, at('x'), { type: 'merge', body: { spec: { size: 2 } } });
  await client.delete(Thing, at('x'));
  await clock.advance(0);
  assert.deepEqual(seen, [
    'add 1: 1, 1',
    'update 2: 2, 1',
    'old 1: 2, 0',
    'delete 3: undefined, 0',
  ]);
});

test('events that say nothing new reach no handler', async () => {
  const { clock, cluster, client, informer, news, steps } = watchedThings();
  await using _ = informer;
  informer.start();
  const repeat = async () => {
    await clock.advance(0);
    for (const watch of cluster.watches) watch.repeat();
  };
  await clock.advance(0);
  await client.create(Thing, thing('x'));
  await repeat();
  const stale = await client.get(Thing, at('x'));
  await client.patch(Thing, at('x'), { type: 'merge', body: { spec: { size: 2 } } });
  await repeat();
  await client.delete(Thing, at('x'));
  await repeat();
  for (const watch of cluster.watches) watch.push({ type: 'ADDED', object: { ...stale } });
  await clock.advance(0);
  assert.deepEqual(news.take(), ['add a/x@1', 'update a/x@2 from 1', 'delete a/x@3']);
  assert.equal(steps.take().filter((step) => step === 'duplicate').length, 4);
  assert.equal(informer.size, 0);
});

test('a handler can be removed, also by itself, and added from within another', async () => {
  const { clock, client, informer } = watchedThings();
  const inner = new EventLog<Thing>();
  const calls: string[] = [];
  const once = informer.addHandler({
    onAdd: ({ metadata }) => {
      calls.push(metadata.name);
      once[Symbol.dispose]();
      informer.addHandler(inner);
    },
  });
  await using _ = informer;
  informer.start();
  await client.create(Thing, thing('x'));
  await client.create(Thing, thing('y'));
  await clock.advance(0);
  assert.deepEqual(calls, ['x']);
  assert.deepEqual(inner.take(), ['add a/x@1 initial', 'add a/y@2']);
});

test('a resync shows every object once more, until the handler is removed', async () => {
  const { clock, client, informer } = watchedThings();
  const log = new EventLog<Thing>();
  const handler = informer.addHandler(log, { resyncMs: 10_000 });
  await using _ = informer;
  informer.start();
  await client.create(Thing, thing('x'));
  await clock.advance(25_000);
  assert.deepEqual(log.take().slice(1), ['update a/x@1 from 1', 'update a/x@1 from 1']);
  handler[Symbol.dispose]();
  await clock.advance(20_000);
  assert.deepEqual(log.take(), []);
});

test('a handler that comes after the end is never called and leaves no timer', async () => {
  const { clock, client, informer } = watchedThings();
  informer.start();
  await client.create(Thing, thing('x'));
  await clock.advance(0);
  await informer.stop();
  const log = new EventLog<Thing>();
  informer.addHandler(log, { resyncMs: 1000 });
  await clock.advance(5000);
  assert.deepEqual(log.take(), []);
  assert.equal(clock.pendingTimers, 0);
});

test('a resync period of zero means no resync, as everywhere in Kubernetes', async () => {
  const { clock, client, informer } = watchedThings();
  const log = new EventLog<Thing>();
  const before = clock.pendingTimers;
  informer.addHandler(log, { resyncMs: 0 });
  assert.equal(clock.pendingTimers, before);
  await using _ = informer;
  informer.start();
  await client.create(Thing, thing('x'));
  await clock.advance(10_000);
  assert.deepEqual(log.take(), ['add a/x@1']);
});

test('objects are prepared before they are cached', async () => {
  const { clock, client, informer, news, steps } = watchedThings({
    transform: ({ spec, ...object }) => {
      if (spec?.size === 13) throw new Error('unlucky');
      return object;
    },
  });
  await client.create(Thing, {
    metadata: { name: 'x', namespace: 'a', managedFields: [{ manager: 'test' }] },
    spec: { size: 1 },
  });
  await using _ = informer;
  informer.start();
  await clock.advance(0);
  const x = informer.get(at('x'));
  assert.equal(x?.spec, undefined);
  assert.ok(x && !('managedFields' in x.metadata));
  await client.patch(Thing, at('x'), { type: 'merge', body: { spec: { size: 13 } } });
  await clock.advance(0);
  assert.equal(informer.get(at('x')), x, 'what cannot be prepared changes nothing');
  assert.deepEqual(news.take(), ['add a/x@1 initial']);
  assert.ok(steps.take().includes('transform failed unlucky'));
});

test('managed fields are kept for those who ask for them', async () => {
  const { clock, client, informer } = watchedThings({ keepManagedFields: true });
  await client.create(Thing, {
    metadata: { name: 'x', namespace: 'a', managedFields: [{ manager: 'test' }] },
  });
  await using _ = informer;
  informer.start();
  await clock.advance(0);
  assert.deepEqual(informer.get(at('x'))?.metadata.managedFields, [{ manager: 'test' }]);
});
