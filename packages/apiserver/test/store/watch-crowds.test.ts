import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { put } from './engines.ts';
import { gatedJournal } from './gated-journal.ts';

/** A store with watches of one table that note the revisions of each batch they are told. */
const setUp = ({ watches = 30, prefix = '', backlog = {} } = {}) => {
  const { store, next } = gatedJournal({ backlog });
  const told: number[][][] = Array.from({ length: watches }, () => []);
  const ends = told.map(async (batches) => {
    for await (const batch of store.watch('things', { since: 0, prefix })) {
      batches.push(batch.map(({ revision }) => revision));
    }
  });
  /** Writes while the flush of the writes before is still going on; then lets that end. */
  const writeDuring = async (
    flush: { resolve: () => void },
    ...keys: string[]
  ): Promise<Awaited<ReturnType<typeof next>>> => {
    for (const key of keys) put(store, 'things', key).catch(() => {});
    flush.resolve();
    const following = await next();
    await turn();
    return following;
  };
  const end = async (flush: { resolve: () => void }): Promise<void> => {
    flush.resolve();
    await turn();
  };
  const all = (...batches: number[][]) => assert.deepEqual(told, Array(watches).fill(batches));
  return { store, next, writeDuring, end, ends, all };
};

describe('a crowd of watches', () => {
  it('is told at once of a write that nothing follows', async () => {
    const { store, next, end, all } = setUp();
    void put(store, 'things', 'a');
    await end(await next());
    all([1]);
    void put(store, 'things', 'b');
    await end(await next());
    all([1], [2]);
  });

  it('is told together of writes that are flushed without a pause', async () => {
    const { store, next, writeDuring, end, all } = setUp();
    void put(store, 'things', 'a');
    const second = await writeDuring(await next(), 'b', 'c');
    all();
    const third = await writeDuring(second, 'd');
    all();
    await end(third);
    all([1, 2, 3, 4]);
  });

  it('waits for three flushes at most', async () => {
    const { store, next, writeDuring, all } = setUp();
    void put(store, 'things', 'a');
    let flush = await next();
    for (const key of ['b', 'c', 'd']) flush = await writeDuring(flush, key);
    all();
    await writeDuring(flush, 'e');
    all([1, 2, 3, 4]);
  });

  it('does not wait for writes to other tables', async () => {
    const { store, next, end, all } = setUp();
    void put(store, 'things', 'a');
    const flush = await next();
    void put(store, 'others', 'b');
    await end(flush);
    all([1]);
  });

  it('is told of its own namespace when what follows is in another', async () => {
    const { store, next, writeDuring, end, all } = setUp({ prefix: 'here/' });
    void put(store, 'things', 'here/a');
    const second = await writeDuring(await next(), 'there/b');
    all();
    await end(second);
    all([1]);
  });

  it('is told what there is when the disk fails', async () => {
    const { store, next, writeDuring, all } = setUp();
    void put(store, 'things', 'a');
    const second = await writeDuring(await next(), 'b');
    all();
    second.reject(new Error('no room'));
    await turn();
    all([1]);
  });

  it('is told what there is, in order, when the table is dropped or the store ends', async () => {
    for (const ending of ['drop', 'close'] as const) {
      const { store, next, writeDuring, ends, all } = setUp();
      void put(store, 'things', 'a');
      const second = await writeDuring(await next(), 'b');
      const ended = ending === 'drop' ? store.drop('things') : store[Symbol.asyncDispose]();
      second.resolve();
      if (ending === 'drop') (await next()).resolve();
      await ended;
      await Promise.all(ends);
      all([1, 2]);
    }
  });

  it('is not told together what is more than a reader takes in one go', async () => {
    const { store, next, writeDuring, all } = setUp();
    const keys = Array.from({ length: 500 }, (_, at) => `key${at}`);
    for (const key of keys) void put(store, 'things', key);
    await writeDuring(await next(), 'more');
    all(keys.map((_, at) => at + 1));
  });

  it('is not ended for what the store itself holds back', async () => {
    const { store, next, writeDuring, end, all } = setUp({ backlog: { events: 3 } });
    for (const key of ['a', 'b', 'c']) void put(store, 'things', key);
    const second = await writeDuring(await next(), 'd', 'e', 'f');
    await end(await writeDuring(second, 'g'));
    all([1, 2, 3, 4, 5, 6, 7]);
  });

  it('does not keep a reader from what was told before', async () => {
    const { store, next, writeDuring, end } = setUp();
    const reader = store.watch('things', { since: 0 })[Symbol.asyncIterator]();
    void put(store, 'things', 'a');
    await end(await next());
    void put(store, 'things', 'b');
    await writeDuring(await next(), 'c');
    const { value: batch = [] } = await reader.next();
    assert.deepEqual(
      [...batch].map(({ revision }) => revision),
      [1],
    );
  });

  it('lets go what is held when somebody joins, who is told nothing twice', async () => {
    const { store, next, writeDuring, end, all } = setUp();
    void put(store, 'things', 'a');
    const second = await writeDuring(await next(), 'b');
    const joined: number[] = [];
    void (async () => {
      for await (const batch of store.watch('things', { since: 1 })) {
        joined.push(...batch.map(({ revision }) => revision));
      }
    })();
    await turn();
    all([1]);
    await end(second);
    all([1], [2]);
    assert.deepEqual(joined, [2]);
  });

  it('has not got by a bookmark what is held', async () => {
    const { store, next, writeDuring, end } = setUp();
    using watch = store.watch('things', { since: 0 });
    const reader = watch[Symbol.asyncIterator]();
    void put(store, 'things', 'a');
    const first = reader.next();
    const second = await writeDuring(await next(), 'b');
    assert.deepEqual([store.revision, watch.revision], [1, 0]);
    await end(second);
    await first;
    assert.deepEqual([store.revision, watch.revision], [2, 2]);
  });

  it('is none when it is small', async () => {
    const { store, next, writeDuring, all } = setUp({ watches: 3 });
    void put(store, 'things', 'a');
    await writeDuring(await next(), 'b');
    all([1]);
  });
});
