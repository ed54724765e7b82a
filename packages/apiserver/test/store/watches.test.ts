import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StoreEvent, StoreWatch } from '@perigee/apiserver/store/store';
import { ENGINES, put, remove } from './engines.ts';

const show = (event: StoreEvent): string => {
  const { key } = event.type === 'DELETED' ? event.previous : event.entry;
  const previous = event.type === 'ADDED' ? '' : ` after ${event.previous.revision}`;
  return `${event.revision} ${event.type} ${key}${previous}`;
};

const readTo = async (watch: StoreWatch, revision: number): Promise<StoreEvent[]> => {
  const events: StoreEvent[] = [];
  for await (const batch of watch) {
    events.push(...batch);
    if ((events.at(-1)?.revision ?? 0) >= revision) break;
  }
  return events;
};

for (const { name, open } of ENGINES) {
  describe(`watches of the ${name} store`, () => {
    test('tell every change of their table, in order', async () => {
      await using store = open();
      const watch = store.watch('things', { since: 0 });
      await put(store, 'things', 'a');
      await put(store, 'others', 'a');
      await put(store, 'things', 'a');
      await remove(store, 'things', 'a');
      assert.deepEqual((await readTo(watch, 4)).map(show), [
        '1 ADDED a',
        '3 MODIFIED a after 1',
        '4 DELETED a after 3',
      ]);
    });

    test('resume after any revision that is kept', async () => {
      await using store = open({ history: { events: 3 } });
      for (const key of ['a', 'b', 'a', 'c', 'b']) await put(store, 'things', key);
      assert.equal(store.compacted, 2);
      for (const since of [2, 3, 4]) {
        const events = await readTo(store.watch('things', { since }), 5);
        assert.deepEqual(
          events.map(({ revision }) => revision),
          [3, 4, 5].filter((revision) => revision > since),
        );
      }
      assert.throws(() => store.watch('things', { since: 1 }), { problem: 'compacted' });
      assert.throws(() => store.watch('things', { since: 6 }), { problem: 'future' });
    });

    test('the window of which is bounded in bytes too', async () => {
      await using store = open({ history: { bytes: 2_500 } });
      for (let n = 0; n < 10; n++) await put(store, 'things', 'a', 'x'.repeat(1_000));
      assert.equal(store.compacted, 8);
    });

    test('of a prefix get nothing else, and share batches with their like', async () => {
      await using store = open();
      const prefixes = ['a/', 'a/', 'ab/', '', 'c/', ''];
      const watches = prefixes.map((prefix) => store.watch('things', { since: 0, prefix }));
      await Promise.all(['a/1', 'ab/1', 'a/2'].map((key) => put(store, 'things', key)));
      await put(store, 'things', 'c/1');
      const first = await Promise.all(
        watches.map(async (watch) => (await watch[Symbol.asyncIterator]().next()).value ?? []),
      );
      assert.deepEqual(
        first.map((batch) => batch.map(({ revision }: StoreEvent) => revision)),
        [[1, 3], [1, 3], [2], [1, 2, 3, 4], [4], [1, 2, 3, 4]],
      );
      assert.equal(first[0], first[1]);
      assert.equal(first[3], first[5], 'also what was published in two pieces');
      assert.equal(first[3]?.[0], first[0]?.[0]);
    });

    test('say how far their reader is', async () => {
      await using store = open();
      await put(store, 'things', 'a');
      await put(store, 'others', 'a');
      using watch = store.watch('things', { since: 0 });
      assert.equal(watch.revision, 0);
      const iterator = watch[Symbol.asyncIterator]();
      await iterator.next();
      assert.equal(watch.revision, 2);
      await put(store, 'others', 'a');
      assert.equal(watch.revision, 3);
      await put(store, 'things', 'a');
      assert.equal(watch.revision, 3);
    });

    test('end when they are disposed, also under a reader that waits', async () => {
      await using store = open();
      const watch = store.watch('things', { since: 0 });
      const next = watch[Symbol.asyncIterator]().next();
      watch[Symbol.dispose]();
      assert.deepEqual(await next, { value: undefined, done: true });
      await put(store, 'things', 'a');
      assert.deepEqual(await Array.fromAsync(watch), []);
    });

    test('end when the store closes', async () => {
      const store = open();
      const watch = store.watch('things', { since: 0 });
      await put(store, 'things', 'a');
      await store[Symbol.asyncDispose]();
      assert.deepEqual((await Array.fromAsync(watch)).flat().map(show), ['1 ADDED a']);
    });

    test('end when their reader is too slow, and hold nothing any more', async () => {
      for (const backlog of [{ events: 10 }, { bytes: 1_000 }]) {
        await using store = open({ backlog });
        const slow = store.watch('things', { since: 0 });
        const quick = readTo(store.watch('things', { since: 0 }), 12);
        for (let n = 1; n <= 12; n++) await put(store, 'things', 'a', n);
        assert.deepEqual(await Array.fromAsync(slow), []);
        assert.equal((await quick).length, 12);
      }
    });

    test('get a batch whatever its size when their reader waits', async () => {
      await using store = open({ backlog: { events: 10 } });
      const watch = store.watch('things', { since: 0 });
      await Promise.all(Array.from({ length: 20 }, (_, n) => put(store, 'things', `${n}`)));
      assert.equal((await readTo(watch, 20)).length, 20);
    });

    test('may replay more than may wait, which counts no more and no less for it', async () => {
      await using store = open({ backlog: { events: 10 } });
      const write = async (count: number) => {
        for (let n = 0; n < count; n++) await put(store, 'things', 'a', n);
      };
      await write(30);
      const watch = store.watch('things', { since: 0 });
      const reader = watch[Symbol.asyncIterator]();
      await write(10);
      assert.equal((await reader.next()).value?.length, 30);
      assert.equal((await reader.next()).value?.length, 10);
      await write(11);
      assert.deepEqual(await reader.next(), { value: undefined, done: true });
    });
  });
}
