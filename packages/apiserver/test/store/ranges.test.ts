import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ENGINES, keysOf, put, remove } from './engines.ts';

for (const { name, open } of ENGINES) {
  describe(`ranges of the ${name} store`, () => {
    const filled = async () => {
      const store = open();
      const keys = ['b/2', 'a/1', 'b-c/1', 'b/1', 'b/3', 'c/1', 'b0/1'];
      await Promise.all(keys.map((key) => put(store, 'things', key)));
      return store;
    };

    test('come in the order of keys, with what remains', async () => {
      await using store = await filled();
      assert.deepEqual(keysOf(store.range('things').entries), [
        'a/1',
        'b-c/1',
        'b/1',
        'b/2',
        'b/3',
        'b0/1',
        'c/1',
      ]);
      const page = store.range('things', { limit: 2, after: 'b-c/1' });
      assert.deepEqual(keysOf(page.entries), ['b/1', 'b/2']);
      assert.deepEqual([page.remaining, page.revision], [3, 7]);
    });

    test('of a prefix hold nothing else', async () => {
      await using store = await filled();
      const all = store.range('things', { prefix: 'b/' });
      assert.deepEqual([keysOf(all.entries), all.remaining], [['b/1', 'b/2', 'b/3'], 0]);
      const first = store.range('things', { prefix: 'b/', limit: 1 });
      assert.deepEqual([keysOf(first.entries), first.remaining], [['b/1'], 2]);
      const rest = store.range('things', { prefix: 'b/', limit: 5, after: 'b/1' });
      assert.deepEqual([keysOf(rest.entries), rest.remaining], [['b/2', 'b/3'], 0]);
      const before = store.range('things', { prefix: 'b/', limit: 1, after: 'a/9' });
      assert.deepEqual(keysOf(before.entries), ['b/1']);
      const beyond = store.range('things', { prefix: 'b/', limit: 1, after: 'c' });
      assert.deepEqual([beyond.entries, beyond.remaining], [[], 0]);
    });

    test('of a table that nobody wrote are empty', async () => {
      await using store = await filled();
      assert.deepEqual(store.range('none'), { entries: [], revision: 7, remaining: 0 });
      assert.equal(store.count('none'), 0);
    });

    test('show the state as of an older revision', async () => {
      await using store = await filled();
      await put(store, 'things', 'b/2', 'new');
      await put(store, 'things', 'b/2', 'newer');
      await remove(store, 'things', 'b/1');
      await put(store, 'things', 'b/4');
      await put(store, 'things', 'b/1', 'anew');

      const then = store.range('things', { prefix: 'b/', revision: 7 });
      assert.deepEqual(
        then.entries.map(({ key, revision }) => [key, revision]),
        [
          ['b/1', 4],
          ['b/2', 1],
          ['b/3', 5],
        ],
      );
      const page = store.range('things', { revision: 10, prefix: 'b/', limit: 1 });
      assert.deepEqual([keysOf(page.entries), page.remaining, page.revision], [['b/2'], 1, 10]);
      assert.deepEqual(store.range('things', { revision: 0 }).entries, []);
    });

    test('of revisions that are not kept, or not reached, are refused', async () => {
      await using store = open({ history: { events: 2 } });
      for (const value of [1, 2, 3, 4]) await put(store, 'things', 'a', value);
      assert.equal(store.compacted, 2);
      assert.equal(store.range('things', { revision: 2 }).entries[0]?.revision, 2);
      assert.throws(() => store.range('things', { revision: 1 }), { problem: 'compacted' });
      assert.throws(() => store.range('things', { revision: 5 }), { problem: 'future' });
      assert.throws(() => store.range('none', { revision: 1 }), { problem: 'compacted' });
    });

    test('name the tables that hold something', async () => {
      await using store = open();
      await put(store, 'root/apps/deployments', 'a');
      await put(store, 'member/apps/deployments', 'a');
      await put(store, 'member/pods', 'a');
      await put(store, 'root/pods', 'a');
      await remove(store, 'root/pods', 'a');
      assert.deepEqual(store.tables(), [
        'member/apps/deployments',
        'member/pods',
        'root/apps/deployments',
      ]);
      assert.deepEqual(store.tables('member/'), ['member/apps/deployments', 'member/pods']);
    });
  });
}
