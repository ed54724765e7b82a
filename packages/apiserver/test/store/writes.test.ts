import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ENGINES, objectOf, put, remove } from './engines.ts';

for (const { name, open } of ENGINES) {
  describe(`writes to the ${name} store`, () => {
    test('stamp the revision into the object and its bytes', async () => {
      await using store = open();
      const first = await put(store, 'things', 'a/one');
      const second = await put(store, 'others', 'b');

      assert.equal(first.revision, 1);
      assert.equal(second.revision, 2);
      assert.equal(first.previous, undefined);
      const entry = store.get('others', 'b');
      assert.deepEqual(entry?.object, {
        kind: 'Thing',
        metadata: { name: 'b', resourceVersion: '2' },
        data: { value: 'b' },
      });
      assert.deepEqual(JSON.parse(String(entry?.bytes)), entry?.object);
      assert.equal(entry?.object, entry?.object, 'parsed once');
      assert.equal(store.revision, 2);
    });

    test('keep what is odd in JSON as it is', async () => {
      await using store = open();
      const object = JSON.parse('{"metadata":{"name":"ä"},"__proto__":{"x":1},"none":null}');
      await store.write('things', 'ä', () => ({ put: { ...object, gone: undefined } }));
      assert.equal(
        String(store.get('things', 'ä')?.bytes),
        '{"metadata":{"name":"ä","resourceVersion":"1"},"__proto__":{"x":1},"none":null}',
      );
    });

    test('decide at once on the newest state, which nobody else sees before it is durable', async () => {
      await using store = open();
      const seen: (string | undefined)[] = [];
      const writes = ['one', 'two', 'three'].map((value) =>
        store.write('things', 'a', (present, revision) => {
          const data = present?.object.data as { value: string } | undefined;
          seen.push(`${data?.value} ${revision}`);
          return { put: objectOf('a', value) };
        }),
      );
      assert.deepEqual(seen, ['undefined 1', 'one 2', 'two 3']);
      assert.equal(store.get('things', 'a'), undefined);
      assert.equal(store.range('things').entries.length, 0);
      assert.equal(store.revision, 0);

      const results = await Promise.all(writes);
      assert.deepEqual(
        results.map(({ revision, previous }) => [previous?.revision, revision]),
        [
          [undefined, 1],
          [1, 2],
          [2, 3],
        ],
      );
      assert.equal(store.get('things', 'a'), results[2]?.entry);
    });

    test('resolve in the order of their revisions', async () => {
      await using store = open();
      const resolved: number[] = [];
      const write = async (key: string) => {
        resolved.push((await put(store, 'things', key)).revision);
      };
      await Promise.all(['c', 'a', 'b', 'a'].map(write));
      assert.deepEqual(resolved, [1, 2, 3, 4]);
    });

    test('that change nothing take no revision, and wait for what they saw', async () => {
      await using store = open();
      const creation = put(store, 'things', 'a');
      const kept = await store.write('things', 'a', () => ({ keep: true }));
      assert.equal(kept.entry, store.get('things', 'a'));
      assert.deepEqual([kept.revision, kept.previous], [1, kept.entry]);
      await creation;

      const again = await store.write('things', 'a', () => ({ keep: true }));
      assert.deepEqual([again.revision, again.entry], [1, kept.entry]);
      const absent = await remove(store, 'things', 'none');
      assert.deepEqual(absent, { entry: undefined, previous: undefined, revision: 1 });
    });

    test('remove, and create anew under a higher revision', async () => {
      await using store = open();
      const { entry } = await put(store, 'things', 'a');
      const removed = await remove(store, 'things', 'a');
      assert.deepEqual(removed, { entry: undefined, previous: entry, revision: 2 });
      assert.equal(store.get('things', 'a'), undefined);
      assert.equal(store.count('things'), 0);
      assert.deepEqual(store.tables(), []);

      const anew = await put(store, 'things', 'a');
      assert.deepEqual([anew.previous, anew.revision], [undefined, 3]);
    });

    test('whose decision throws do nothing', async () => {
      await using store = open();
      const refused = store.write('things', 'a', () => {
        throw new Error('no');
      });
      await assert.rejects(refused, /^Error: no$/);
      const circular: Record<string, unknown> = {};
      circular.self = circular;
      const unreadable = store.write('things', 'a', () => ({ put: circular as never }));
      await assert.rejects(unreadable, /circular/);
      assert.equal((await put(store, 'things', 'b')).revision, 1);
    });

    test('are refused within a decision', async () => {
      await using store = open();
      let inner: Promise<unknown> | undefined;
      const outer = store.write('things', 'a', () => {
        inner = put(store, 'things', 'b');
        return { put: objectOf('a', 1) };
      });
      await assert.rejects(outer, /must not itself write/);
      await inner;
      assert.deepEqual([store.revision, store.count('things')], [1, 1]);
    });

    test('are finished when the store closes, and refused after', async () => {
      const store = open();
      const write = put(store, 'things', 'a');
      await store[Symbol.asyncDispose]();
      assert.equal((await write).revision, 1);
      await assert.rejects(put(store, 'things', 'b'), { problem: 'closed' });
      await assert.rejects(store.drop('things'), { problem: 'closed' });
      assert.throws(() => store.watch('things', { since: 1 }), { problem: 'closed' });
      await store[Symbol.asyncDispose]();
    });
  });
}
