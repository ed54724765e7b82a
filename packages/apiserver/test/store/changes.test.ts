import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ENGINES, put, remove } from './engines.ts';

for (const { name, open } of ENGINES) {
  describe(`changes in the ${name} store`, () => {
    test('are there as soon as the write is answered', async () => {
      await using store = open();
      await put(store, 'things', 'a');
      await put(store, 'others', 'a');
      await put(store, 'things', 'a');
      await remove(store, 'things', 'a');
      const since = (revision: number) =>
        store.changes('things', revision).map((event) => `${event.revision} ${event.type}`);
      assert.deepEqual(since(0), ['1 ADDED', '3 MODIFIED', '4 DELETED']);
      assert.deepEqual(since(3), ['4 DELETED']);
      assert.deepEqual(since(4), []);
      assert.deepEqual(store.changes('nothing', 0), []);
    });

    test('are refused from a revision that is forgotten, not reached, or of another table', async () => {
      await using store = open({ history: { events: 2 } });
      for (const key of ['a', 'b', 'c']) await put(store, 'things', key);
      assert.throws(() => store.changes('things', 0), { problem: 'compacted' });
      assert.throws(() => store.changes('things', 4), { problem: 'future' });
      await store.drop('things');
      assert.throws(() => store.changes('things', 3), { problem: 'compacted' });
      assert.deepEqual(store.changes('things', store.revision), []);
    });
  });
}
