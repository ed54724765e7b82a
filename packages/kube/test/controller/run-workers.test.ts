import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { runWorkers } from '../../src/controller/run-workers.ts';

/** A source that hands out what it is given, and counts who waits for it. */
const source = () => {
  const waiting: ((item: string | undefined) => void)[] = [];
  return {
    waiting,
    take: () => new Promise<string | undefined>((resolve) => waiting.push(resolve)),
    give: async (item: string | undefined) => {
      waiting.shift()?.(item);
      await turn();
    },
  };
};

test('one worker waits, as many as may be work at once, and all end when there is no more', async () => {
  const { waiting, take, give } = source();
  const inWork = new Map<string, () => void>();
  const work = (item: string) =>
    new Promise<void>((resolve) => void inWork.set(item, () => resolve()));
  const end = async (item: string) => {
    inWork.get(item)?.();
    inWork.delete(item);
    await turn();
  };
  let isOver = false;
  const over = runWorkers({ most: 2, take, work }).then(() => {
    isOver = true;
  });
  assert.equal(waiting.length, 1);
  await give('a');
  assert.equal(waiting.length, 1, 'another one waits for the next');
  await give('b');
  assert.deepEqual([...inWork.keys()], ['a', 'b']);
  assert.equal(waiting.length, 0, 'there are no more than two');
  await end('a');
  assert.equal(waiting.length, 1);
  await end('b');
  assert.equal(waiting.length, 1, 'no two wait at once');
  await give('c');
  await give(undefined);
  assert.equal(isOver, false, 'the last is in work');
  await end('c');
  await give(undefined);
  await over;
  assert.equal(waiting.length, 0);
});

test('an error of one worker is told', async () => {
  const { take, give } = source();
  const over = runWorkers({ most: 3, take, work: () => Promise.reject(new Error('broken')) });
  const told = assert.rejects(over, /broken/);
  await give('a');
  await told;
});
