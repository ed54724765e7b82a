import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WatchOptions } from '../../src/client/client.ts';
import { VirtualClock } from '../../src/clock/virtual-clock.ts';
import { isAlreadyExists, isConflict, isGone, isNotFound } from '../../src/errors.ts';
import { MemoryClient, type MemoryFaults } from '../support/memory-client.ts';
import { MemoryCluster } from '../support/memory-cluster.ts';
import { at, Thing, thing } from './thing.ts';

const setUp = (faults?: MemoryFaults) => {
  const clock = new VirtualClock();
  const cluster = new MemoryCluster({ clock, kinds: [Thing] });
  return { clock, cluster, client: new MemoryClient(cluster, faults) };
};
const collect = (client: MemoryClient, options: WatchOptions) => {
  const seen: string[] = [];
  const done = (async () => {
    for await (const { type, object } of client.watch(Thing, options)) {
      seen.push(`${type} ${object.metadata.name}@${object.metadata.resourceVersion}`);
    }
  })();
  return { seen, done };
};

test('a create fills in what the server owns and leaves the status out', async () => {
  const { client } = setUp();
  const made = await client.create(Thing, { ...thing('x'), status: { seen: 1 } });
  assert.equal(made.apiVersion, 'example.com/v1');
  assert.equal(made.metadata.generation, 1);
  assert.equal(made.metadata.resourceVersion, '1');
  assert.equal(made.metadata.creationTimestamp, '2026-01-01T00:00:00Z');
  assert.equal(made.status, undefined);
  assert.ok(Object.isFrozen(made.metadata));
  await assert.rejects(client.create(Thing, thing('x')), isAlreadyExists);
  const named = await client.create(Thing, {
    metadata: { generateName: 'x-', namespace: 'a' },
  });
  assert.match(named.metadata.name, /^x-[a-z0-9]{5}$/);
});

test('spec and status are written apart, and generation counts the spec', async () => {
  const { client } = setUp();
  const made = await client.create(Thing, thing('x'));
  const seen = await client.update(
    Thing,
    { ...made, spec: { size: 9 }, status: { seen: 1 } },
    { subresource: 'status' },
  );
  assert.deepEqual([seen.spec, seen.status], [{ size: 1 }, { seen: 1 }]);
  assert.equal(seen.metadata.generation, 1);
  const grown = await client.update(Thing, { ...seen, spec: { size: 2 }, status: { seen: 9 } });
  assert.deepEqual([grown.spec, grown.status], [{ size: 2 }, { seen: 1 }]);
  assert.equal(grown.metadata.generation, 2);
  const same = await client.update(Thing, grown);
  assert.equal(same.metadata.resourceVersion, grown.metadata.resourceVersion);
  await assert.rejects(client.update(Thing, made), isConflict);
  await assert.rejects(client.update(Thing, thing('y')), isNotFound);
});

test('a finalizer holds a deleted object until it is removed', async () => {
  const { client } = setUp();
  await client.create(Thing, { metadata: { ...at('x'), finalizers: ['f'] } });
  await client.delete(Thing, at('x'));
  const dying = await client.get(Thing, at('x'));
  assert.equal(dying.metadata.deletionTimestamp, '2026-01-01T00:00:00Z');
  await client.patch(Thing, at('x'), {
    type: 'json',
    operations: [{ op: 'remove', path: '/metadata/finalizers/0' }],
  });
  await assert.rejects(client.get(Thing, at('x')), isNotFound);
});

test('preconditions, dry runs and collections of deletes', async () => {
  const { client, cluster } = setUp();
  await client.create(Thing, thing('x', { labels: { app: 'one' } }));
  await client.create(Thing, thing('y', { labels: { app: 'two' } }));
  await assert.rejects(
    client.delete(Thing, at('x'), { preconditions: { uid: 'other' } }),
    isConflict,
  );
  await client.delete(Thing, at('x'), { dryRun: true });
  await client.create(Thing, thing('z'), { dryRun: true });
  assert.equal(cluster.revision, 2);
  await client.deleteCollection(Thing, { namespace: 'a', labelSelector: 'app=one' });
  const left = await client.list(Thing, { fieldSelector: 'metadata.name!=z' });
  assert.deepEqual(
    left.items.map((object) => object.metadata.name),
    ['y'],
  );
});

test('patches: merge, json, and apply that creates', async () => {
  const { client } = setUp();
  await client.patch(Thing, at('x'), {
    type: 'apply',
    fieldManager: 'test',
    body: { spec: { size: 3 } },
  });
  await client.patch(Thing, at('x'), {
    type: 'merge',
    body: { metadata: { labels: { a: 'b' } } },
  });
  const patched = await client.patch(Thing, at('x'), {
    type: 'json',
    operations: [
      { op: 'test', path: '/spec/size', value: 3 },
      { op: 'replace', path: '/spec/size', value: 4 },
      { op: 'add', path: '/metadata/labels/x~1y', value: 'z' },
    ],
  });
  assert.deepEqual(patched.spec, { size: 4 });
  assert.deepEqual(patched.metadata.labels, { a: 'b', 'x/y': 'z' });
});

test('the pages of a list are one snapshot, until history is gone', async () => {
  const { client, cluster } = setUp();
  for (const name of ['a', 'b', 'c']) await client.create(Thing, thing(name));
  const first = await client.list(Thing, { limit: 2 });
  assert.deepEqual(
    first.items.map((object) => object.metadata.name),
    ['a', 'b'],
  );
  assert.equal(first.metadata.remainingItemCount, 1);
  await client.delete(Thing, at('c'));
  const token = first.metadata.continue ?? '';
  const second = await client.list(Thing, { limit: 2, continue: token });
  assert.deepEqual(
    second.items.map((object) => object.metadata.name),
    ['c'],
  );
  assert.equal(second.metadata.resourceVersion, '3');
  cluster.compact();
  await assert.rejects(client.list(Thing, { limit: 2, continue: token }), isGone);
});

test('a watch resumes from history, sees selector transitions, ends on time', async () => {
  const { client, cluster, clock } = setUp();
  await client.create(Thing, thing('x', { labels: { app: 'one' } }));
  const watch = collect(client, {
    labelSelector: 'app=one',
    resourceVersion: '1',
    timeoutSeconds: 60,
  });
  await client.patch(Thing, at('x'), { type: 'merge', body: { spec: { size: 2 } } });
  await client.patch(Thing, at('x'), {
    type: 'merge',
    body: { metadata: { labels: { app: 'two' } } },
  });
  await client.patch(Thing, at('x'), {
    type: 'merge',
    body: { metadata: { labels: { app: 'one' } } },
  });
  await client.delete(Thing, at('x'));
  cluster.sendBookmarks();
  await clock.advance(60_000);
  await watch.done;
  assert.deepEqual(watch.seen, [
    'MODIFIED x@2',
    'DELETED x@3',
    'ADDED x@4',
    'DELETED x@5',
    'BOOKMARK @5',
  ]);
  assert.equal(cluster.watches.length, 0);
  assert.equal(clock.pendingTimers, 0);
  cluster.compact();
  await assert.rejects(collect(client, { resourceVersion: '1' }).done, isGone);
});

test('initial events end with a bookmark, unless the server is too old for that', async () => {
  const { client, cluster, clock } = setUp();
  await client.create(Thing, thing('x'));
  const served = collect(client, { sendInitialEvents: true });
  await clock.advance(0);
  cluster.watchList = 'ignored';
  const ignored = collect(client, { sendInitialEvents: true });
  await clock.advance(0);
  assert.deepEqual(served.seen, ['ADDED x@1', 'BOOKMARK @1']);
  assert.deepEqual(ignored.seen, ['ADDED x@1']);
  cluster.watchList = 'refused';
  await assert.rejects(collect(client, { sendInitialEvents: true }).done, { code: 422 });
  for (const watch of cluster.watches) watch.end();
  await Promise.all([served.done, ignored.done]);
});

test('faults fail a call before or after its work, or hang it until it is aborted', async () => {
  let fault: MemoryFaults = {};
  const { client } = setUp({
    before: (call) => fault.before?.(call),
    after: (call) => fault.after?.(call),
  });
  fault = {
    before: () => {
      throw new Error('refused');
    },
  };
  await assert.rejects(client.create(Thing, thing('x')), /refused/);
  fault = {
    after: () => {
      throw new Error('lost');
    },
  };
  await assert.rejects(client.create(Thing, thing('x')), /lost/);
  fault = { before: () => new Promise(() => {}) };
  const abort = new AbortController();
  const hanging = client.get(Thing, at('x'), { signal: abort.signal });
  abort.abort(new Error('enough'));
  await assert.rejects(hanging, /enough/);
  fault = {};
  assert.equal((await client.get(Thing, at('x'))).metadata.name, 'x');
});
