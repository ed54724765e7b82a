import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { WorkQueue } from '../../src/queue/work-queue.ts';

const setUp = () => {
  const clock = new VirtualClock();
  return { clock, queue: new WorkQueue<string>({ clock }) };
};

const takeNow = async (queue: WorkQueue<string>) => {
  const item = await queue.take();
  assert.ok(item);
  return item;
};

const takeAll = async (queue: WorkQueue<string>): Promise<string[]> => {
  const keys: string[] = [];
  while (queue.depth > 0) {
    using item = await takeNow(queue);
    keys.push(item.key);
  }
  return keys;
};

test('keys come in the order in which they were added, each once', async () => {
  const { queue } = setUp();
  for (const key of ['b', 'a', 'b', 'c', 'a']) queue.add(key);
  assert.equal(queue.depth, 3);
  assert.deepEqual(await takeAll(queue), ['b', 'a', 'c']);
});

test('higher priorities go first, and adding again can raise but never lower', async () => {
  const { queue } = setUp();
  queue.add('low', { priority: -100 });
  queue.add('first');
  queue.add('raised', { priority: -100 });
  queue.add('high', { priority: 7 });
  queue.add('second');
  queue.add('raised', { priority: 10 });
  queue.add('high', { priority: -100 });
  assert.deepEqual(await takeAll(queue), ['raised', 'high', 'first', 'second', 'low']);
});

test('a key that is added while a worker has it comes again once, after the worker is done', async () => {
  const { clock, queue } = setUp();
  queue.add('a');
  const first = await takeNow(queue);
  queue.add('a');
  queue.add('a');
  let second: string | undefined;
  const waiting = queue.take().then((item) => {
    second = item?.key;
    return item;
  });
  await clock.advance(1000);
  assert.equal(second, undefined);
  first[Symbol.dispose]();
  const again = await waiting;
  assert.equal(again?.key, 'a');
  again?.[Symbol.dispose]();
  assert.equal(queue.depth, 0);
});

test('a worker that says twice that it is done does not end the run of the next one', async () => {
  const { queue } = setUp();
  queue.add('a');
  const first = await takeNow(queue);
  queue.add('a');
  first[Symbol.dispose]();
  const second = await takeNow(queue);
  first[Symbol.dispose]();
  queue.add('a');
  assert.equal(queue.depth, 1);
  let taken = false;
  void queue.take().then(() => {
    taken = true;
  });
  await Promise.resolve();
  assert.equal(taken, false);
  second[Symbol.dispose]();
});

test('what is added in one breath goes by its priority, and once, even to a worker that waits', async () => {
  const { queue } = setUp();
  const waiting = queue.take();
  queue.add('low');
  queue.add('high', { priority: 1 });
  queue.add('high', { priority: 1 });
  using item = await waiting;
  assert.equal(item?.key, 'high');
  assert.equal(queue.depth, 1);
});

test('a delayed key comes when it is due, and the earliest wish wins', async () => {
  const { clock, queue } = setUp();
  queue.add('a', { delayMs: 500 });
  queue.add('a', { delayMs: 200 });
  queue.add('a', { delayMs: 900 });
  let takenAt: number | undefined;
  void queue.take().then(() => {
    takenAt = clock.monotonic();
  });
  await clock.advance(199);
  assert.equal(takenAt, undefined);
  await clock.advance(1);
  assert.equal(takenAt, 200);
});

test('an add without delay overtakes the delay, and leaves no timer behind', async () => {
  const { clock, queue } = setUp();
  queue.add('a', { delayMs: 500 });
  assert.equal(clock.pendingTimers, 1);
  queue.add('a');
  assert.equal(clock.pendingTimers, 0);
  assert.deepEqual(await takeAll(queue), ['a']);
  await clock.advance(1000);
  assert.equal(queue.depth, 0);
});

test('a delay that makes no sense is no delay', () => {
  const { clock, queue } = setUp();
  queue.add('negative', { delayMs: -5 });
  queue.add('not a number', { delayMs: Number.NaN });
  assert.equal(queue.depth, 2);
  assert.equal(clock.pendingTimers, 0);
});

test('an idle queue has no timer', async () => {
  const { clock, queue } = setUp();
  void queue.take();
  queue.add('a');
  queue.add('b');
  assert.equal(clock.pendingTimers, 0);
});

test('retries wait longer with each failure, until the key is forgotten', async () => {
  const { clock, queue } = setUp();
  const waits: number[] = [];
  for (let attempt = 0; attempt < 4; attempt++) {
    const start = clock.monotonic();
    queue.retry('a');
    await clock.runUntil(() => queue.depth > 0, 1000);
    waits.push(clock.monotonic() - start);
    (await takeNow(queue))[Symbol.dispose]();
  }
  assert.deepEqual(waits, [5, 10, 20, 40]);
  assert.equal(queue.failures('a'), 4);
  queue.forget('a');
  queue.retry('a');
  await clock.advance(5);
  assert.equal(queue.depth, 1);
});

test('a taker that is aborted gets no key, and the next one gets it', async () => {
  const { queue } = setUp();
  const abort = new AbortController();
  const first = queue.take(abort.signal);
  const second = queue.take();
  abort.abort(new Error('enough'));
  await assert.rejects(first, /enough/);
  await assert.rejects(queue.take(abort.signal), /enough/);
  queue.add('a');
  assert.equal((await second)?.key, 'a');
});

test('shutting down drops what waits, and ends when the workers are done', async () => {
  const { clock, queue } = setUp();
  queue.add('running');
  const running = await takeNow(queue);
  queue.add('running');
  queue.add('ready');
  queue.add('later', { delayMs: 10 });
  let ended = false;
  const end = queue.shutDown().then(() => {
    ended = true;
  });
  queue.add('too late');
  queue.retry('too late');
  assert.equal(await queue.take(), undefined);
  assert.equal(clock.pendingTimers, 0);
  assert.equal(ended, false);
  running[Symbol.dispose]();
  await end;
});

test('draining lets the workers have what is ready, and what was added while they worked', async () => {
  const { queue } = setUp();
  queue.add('running');
  const running = await takeNow(queue);
  queue.add('running');
  queue.add('ready');
  queue.add('later', { delayMs: 10 });
  const drained = queue.shutDown({ drain: true });
  const ready = await takeNow(queue);
  assert.equal(ready.key, 'ready');
  const next = queue.take();
  const last = queue.take();
  running[Symbol.dispose]();
  const again = await next;
  assert.equal(again?.key, 'running');
  assert.equal(await last, undefined);
  again?.[Symbol.dispose]();
  ready[Symbol.dispose]();
  await drained;
});

test('a drain that takes too long can be cut short', async () => {
  const { queue } = setUp();
  queue.add('never taken');
  const drained = queue.shutDown({ drain: true });
  await queue.shutDown();
  await drained;
});

test('a hundred thousand keys pass in order of priority', async () => {
  const { queue } = setUp();
  for (let n = 0; n < 100_000; n++) queue.add(`${n}`, { priority: n % 1000 });
  let last = Number.POSITIVE_INFINITY;
  while (queue.depth > 0) {
    using item = await takeNow(queue);
    assert.ok(item.priority <= last);
    last = item.priority;
  }
});

test('of a thousand keys that failed because somebody was quicker, none waits for the others', async () => {
  const { clock, queue } = setUp();
  const keys = Array.from({ length: 1000 }, (_, index) => `key-${index}`);
  for (const key of keys) queue.retry(key, { isPassing: true });
  await clock.advance(5);
  assert.equal(queue.depth, keys.length);
});

test('tenants take turns, whoever asked for how much first', async () => {
  const clock = new VirtualClock();
  const queue = new WorkQueue<string>({ clock, tenantOf: (key) => key.split('/')[0] ?? '' });
  for (let at = 0; at < 1_000; at += 1) queue.add(`flood/${at}`);
  const taken: string[] = [];
  const take = async (count: number) => {
    for (let at = 0; at < count; at += 1) {
      using item = await queue.take();
      taken.push(item?.key ?? '');
    }
  };
  await take(2);
  queue.add('a/1');
  queue.add('a/2');
  queue.add('b/1');
  queue.add('flood/urgent', { priority: 1 });
  await take(7);
  assert.deepEqual(taken, [
    'flood/0',
    'flood/1',
    'flood/urgent',
    'a/1',
    'b/1',
    'flood/2',
    'a/2',
    'flood/3',
    'flood/4',
  ]);
});

test('tenants who come one after the other do not keep out the one that waits', async () => {
  const clock = new VirtualClock();
  const queue = new WorkQueue<string>({ clock, tenantOf: (key) => key.split('/')[0] ?? '' });
  queue.add('patient/1');
  queue.add('patient/2');
  const taken: string[] = [];
  for (let at = 0; at < 6; at += 1) {
    queue.add(`visitor${at % 2}/${at}`);
    using item = await queue.take();
    taken.push(item?.key ?? '');
  }
  assert.ok(taken.indexOf('patient/2') < 4, taken.join(' '));
});
