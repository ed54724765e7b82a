import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StoreWatch, TableEvent } from '@perigee/apiserver/store/store';
import { ENGINES, put, remove } from './engines.ts';

const show = (event: TableEvent): string => {
  const { key } = event.type === 'DELETED' ? event.previous : event.entry;
  return `${event.revision} ${event.type} ${event.table} ${key}`;
};

const readTo = async (watch: StoreWatch<TableEvent>, revision: number) => {
  const events: TableEvent[] = [];
  for await (const batch of watch) {
    events.push(...batch);
    if ((events.at(-1)?.revision ?? 0) >= revision) break;
  }
  return events.map(show);
};

for (const { name, open } of ENGINES) {
  describe(`watches of all tables of the ${name} store`, () => {
    test('tell what happens from now on, also in new tables, in the order of revisions', async () => {
      await using store = open();
      await put(store, 'root/a', 'before');
      using watch = store.watchAll('root/');
      await Promise.all([
        put(store, 'root/b', 'x'),
        put(store, 'other/a', 'x'),
        put(store, 'root/a', 'y'),
        put(store, 'root/b', 'z'),
        remove(store, 'root/a', 'before'),
      ]);
      assert.deepEqual(await readTo(watch, 6), [
        '2 ADDED root/b x',
        '4 ADDED root/a y',
        '5 ADDED root/b z',
        '6 DELETED root/a before',
      ]);
    });

    test('tell that the objects of a dropped table are gone, and go on', async () => {
      await using store = open();
      await put(store, 'things', 'a');
      using watch = store.watchAll();
      const added = put(store, 'things', 'b');
      await Promise.all([added, store.drop('things'), put(store, 'things', 'c')]);
      assert.deepEqual(await readTo(watch, 4), [
        '2 ADDED things b',
        '3 DELETED things a',
        '3 DELETED things b',
        '4 ADDED things c',
      ]);
    });

    test('end when their reader is too slow, when disposed, and with the store', async () => {
      const store = open({ backlog: { events: 1 } });
      using slow = store.watchAll();
      for (const key of ['a', 'b', 'c']) await put(store, 'things', key);
      for await (const _ of slow) assert.fail('it was too slow');
      const disposed = store.watchAll();
      disposed[Symbol.dispose]();
      for await (const _ of disposed) assert.fail('it was disposed');
      using last = store.watchAll();
      await put(store, 'things', 'd');
      await store[Symbol.asyncDispose]();
      const rest: TableEvent[] = [];
      for await (const batch of last) rest.push(...batch);
      assert.deepEqual(rest.map(show), ['4 ADDED things d']);
    });
  });
}
