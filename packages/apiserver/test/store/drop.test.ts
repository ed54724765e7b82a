import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ENGINES, keysOf, put, remove } from './engines.ts';

for (const { name, open } of ENGINES) {
  describe(`a table that is dropped from the ${name} store`, () => {
    test('is empty, and its watches end after what came before', async () => {
      await using store = open();
      const watch = store.watch('things', { since: 0 });
      const other = store.watch('others', { since: 0 });
      await put(store, 'things', 'a');
      const last = put(store, 'things', 'b');
      const dropped = store.drop('things');
      const after = put(store, 'things', 'c');
      await Promise.all([last, dropped, after]);

      assert.deepEqual(keysOf(store.range('things').entries), ['c']);
      assert.equal(store.revision, 4);
      const events = (await Array.fromAsync(watch)).flat();
      assert.deepEqual(
        events.map(({ revision }) => revision),
        [1, 2],
      );
      await put(store, 'others', 'a');
      assert.equal((await other[Symbol.asyncIterator]().next()).done, false);
    });

    test('cannot be read or watched as of before', async () => {
      await using store = open();
      await put(store, 'things', 'a');
      await store.drop('things');
      await put(store, 'things', 'a');
      assert.throws(() => store.range('things', { revision: 1 }), { problem: 'compacted' });
      assert.throws(() => store.watch('things', { since: 1 }), { problem: 'compacted' });
      assert.deepEqual(store.range('things', { revision: 2 }).entries, []);
      using watch = store.watch('things', { since: 2 });
      assert.equal((await watch[Symbol.asyncIterator]().next()).value?.[0]?.type, 'ADDED');
    });

    test('shows its writers an empty table at once', async () => {
      await using store = open();
      await put(store, 'things', 'a');
      const dropped = store.drop('things');
      const write = store.write('things', 'a', (present) => {
        assert.equal(present, undefined);
        return { keep: true };
      });
      assert.equal((await write).entry, undefined);
      await dropped;
    });

    test('takes nothing of other tables with it, not even of empty ones', async () => {
      await using store = open();
      await put(store, 'dropped before', 'a');
      await store.drop('dropped before');
      await put(store, 'emptied', 'a');
      await remove(store, 'emptied', 'a');
      const watch = store.watch('watched', { since: 4 });
      await put(store, 'things', 'a');
      await store.drop('things');

      assert.throws(() => store.range('dropped before', { revision: 1 }), { problem: 'compacted' });
      assert.deepEqual(keysOf(store.range('emptied', { revision: 3 }).entries), ['a']);
      await put(store, 'watched', 'a');
      assert.equal((await watch[Symbol.asyncIterator]().next()).value?.[0]?.revision, 7);
    });

    test('may never have been there', async () => {
      await using store = open();
      await store.drop('none');
      assert.equal(store.revision, 0);
    });
  });
}
