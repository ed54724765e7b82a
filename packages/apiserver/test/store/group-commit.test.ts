import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextTurn } from '@perigee/kube/clock/real-clock';
import type { JournalBatch } from '../../src/store/journal.ts';
import { keysOf, objectOf, put, remove } from './engines.ts';
import { gatedJournal } from './gated-journal.ts';

const shown = ({ revision, changes }: JournalBatch) => [
  revision,
  ...changes.map((change) => (change.type === 'put' ? `+${change.record.key}` : `-${change.key}`)),
];

test('writes that arrive during a flush share the next', async () => {
  const { store, next } = gatedJournal();
  const first = [put(store, 'things', 'a'), put(store, 'things', 'b')];
  const one = await next();
  const later = [put(store, 'things', 'c'), remove(store, 'things', 'a'), put(store, 'x', 'd')];
  assert.deepEqual(shown(one), [2, '+a', '+b']);
  one.resolve();
  await Promise.all(first);
  assert.deepEqual(keysOf(store.range('things').entries), ['a', 'b']);
  assert.equal(store.revision, 2);

  const two = await next();
  assert.deepEqual(shown(two), [5, '+c', '-a', '+d']);
  two.resolve();
  await Promise.all(later);
  assert.deepEqual(keysOf(store.range('things').entries), ['b', 'c']);
});

test('what answers a flush shares the next one, though that has something to do already', async () => {
  const { store, next } = gatedJournal();
  const told = put(store, 'things', 'a');
  const one = await next();
  const other = put(store, 'things', 'b');
  const answer = told.then(() => put(store, 'things', 'c'));
  one.resolve();
  const two = await next();
  assert.deepEqual(shown(two), [3, '+b', '+c']);
  two.resolve();
  await Promise.all([other, answer]);
});

test('a large flush is followed by the next at once, without what its writers answer', async () => {
  const { store, next } = gatedJournal();
  const writes = ['a', 'b', 'c', 'd', 'e'].map((key) => put(store, 'things', key));
  const one = await next();
  const other = put(store, 'things', 'other');
  const answers = writes.map((write) => write.then(() => put(store, 'things', 'answer')));
  one.resolve();
  const two = await next();
  assert.deepEqual(shown(two), [6, '+other']);
  two.resolve();
  (await next()).resolve();
  await Promise.all([other, ...answers]);
});

test('the writers of a large flush are told in portions, and others get a turn in between', async () => {
  const { store, next } = gatedJournal();
  let told = 0;
  const writes = Array.from({ length: 200 }, async (_, at) => {
    await put(store, 'things', `thing-${at}`);
    told += 1;
  });
  (await next()).resolve();
  let before = 0;
  while (told < writes.length) {
    await nextTurn();
    assert.ok(told - before <= 64, `${told - before} were told in one turn`);
    before = told;
  }
  await Promise.all(writes);
  assert.equal(store.count('things'), writes.length);
});

test('nothing is seen before it is durable', async () => {
  const { store, next } = gatedJournal();
  using watch = store.watch('things', { since: 0 });
  let seen = false;
  const events = watch[Symbol.asyncIterator]()
    .next()
    .finally(() => {
      seen = true;
    });
  const write = put(store, 'things', 'a');
  const kept = store.write('things', 'a', () => ({ keep: true }));
  const commit = await next();
  assert.deepEqual([seen, store.get('things', 'a'), store.revision], [false, undefined, 0]);
  commit.resolve();
  assert.equal((await kept).entry, (await write).entry);
  assert.equal((await events).value?.[0]?.revision, 1);
});

test('a flush that fails fails its writers and all that was decided upon it', async () => {
  const { store, next } = gatedJournal();
  const watch = store.watch('things', { since: 0 });
  const before = put(store, 'things', 'a', 'before');
  (await next()).resolve();
  await before;

  const lost = [
    put(store, 'things', 'a', 'lost'),
    remove(store, 'things', 'a'),
    store.drop('things'),
  ];
  const failing = await next();
  const decidedUponIt = store.write('things', 'a', (present) => {
    assert.equal(present, undefined);
    return { put: objectOf('a', 'lost too') };
  });
  const kept = store.write('things', 'a', () => ({ keep: true }));
  failing.reject(new Error('no room'));
  for (const write of [...lost, decidedUponIt]) await assert.rejects(write, /no room/);
  assert.deepEqual((await kept).entry?.object.data, { value: 'before' }, 'judged again');

  assert.deepEqual([store.revision, store.count('things')], [1, 1]);
  const after = store.write('things', 'a', (present, revision) => {
    assert.deepEqual(present?.object.data, { value: 'before' });
    assert.equal(revision, 6, 'those of lost writes are not given again');
    return { put: objectOf('a', 'after') };
  });
  (await next()).resolve();
  await after;
  await store[Symbol.asyncDispose]();
  const events = (await Array.fromAsync(watch)).flat();
  assert.deepEqual(
    events.map(({ revision }) => revision),
    [1, 6],
  );
});

test('a dropped table leaves the journal key by key, with what was on its way', async () => {
  const { store, next } = gatedJournal();
  const published = [put(store, 'things', 'a'), put(store, 'things', 'b'), put(store, 'x', 'y')];
  (await next()).resolve();
  await Promise.all(published);

  const writes = [put(store, 'things', 'c'), store.drop('things'), put(store, 'things', 'd')];
  const commit = await next();
  assert.deepEqual(shown(commit), [6, '+c', '-a', '-b', '-c', '+d']);
  commit.resolve();
  await Promise.all(writes);
  assert.deepEqual(keysOf(store.range('things').entries), ['d']);
});
