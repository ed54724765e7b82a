import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import fc from 'fast-check';

test('time stands still until it is advanced', async () => {
  const clock = new VirtualClock({ start: 1_000 });
  assert.equal(clock.now(), 1_000);
  assert.equal(clock.monotonic(), 0);
  await clock.advance(250.5);
  assert.equal(clock.now(), 1_250.5);
  assert.equal(clock.monotonic(), 250.5);
  await clock.advanceTo(2_000);
  assert.equal(clock.now(), 2_000);
});

test('timers fire in the order of their moments, equal moments in the order of creation', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(20), { maxLength: 40 }), async (delays) => {
      const clock = new VirtualClock();
      const fired: { delay: number; index: number; at: number }[] = [];
      for (const [index, delay] of delays.entries()) {
        clock.timer(delay, () => fired.push({ delay, index, at: clock.monotonic() }));
      }
      await clock.advance(20);
      const expected = delays
        .map((delay, index) => ({ delay, index, at: delay }))
        .sort((a, b) => a.delay - b.delay || a.index - b.index);
      assert.deepEqual(fired, expected);
    }),
    { numRuns: 50 },
  );
});

test('only timers that are due fire, and the rest stay pending', async () => {
  const clock = new VirtualClock();
  const fired: string[] = [];
  clock.timer(10, () => fired.push('ten'));
  clock.timer(11, () => fired.push('eleven'));
  await clock.advance(10);
  assert.deepEqual(fired, ['ten']);
  assert.equal(clock.pendingTimers, 1);
});

test('a delay that makes no sense is none', async () => {
  const clock = new VirtualClock();
  const fired: string[] = [];
  clock.timer(1, () => fired.push('later'));
  clock.timer(Number.NaN, () => fired.push('not a number'));
  clock.timer(-5, () => fired.push('negative'));
  await clock.advance(0);
  assert.deepEqual(fired, ['not a number', 'negative']);
  await clock.advance(1);
  assert.deepEqual(fired, ['not a number', 'negative', 'later']);
  assert.equal(clock.monotonic(), 1);
});

test('work that yields is done before time passes', async () => {
  const clock = new VirtualClock();
  const moments: number[] = [];
  clock.timer(1, () => moments.push(-1));
  const work = async () => {
    for (let slice = 0; slice < 50; slice++) await clock.yield();
    moments.push(clock.monotonic());
  };
  const done = work();
  await clock.advance(5);
  await done;
  assert.deepEqual(moments, [0, -1]);
});

test('a disposed timer does not fire, and the others still do', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ delay: fc.nat(5), cancelled: fc.boolean() }), { maxLength: 30 }),
      async (plans) => {
        const clock = new VirtualClock();
        const fired: number[] = [];
        const timers = plans.map(({ delay }, index) => clock.timer(delay, () => fired.push(index)));
        for (const [index, { cancelled }] of plans.entries()) {
          if (cancelled) timers[index]?.[Symbol.dispose]();
        }
        const kept = plans.flatMap(({ cancelled }, index) => (cancelled ? [] : [index]));
        assert.equal(clock.pendingTimers, kept.length);
        await clock.advance(5);
        assert.deepEqual(
          fired.toSorted((a, b) => a - b),
          kept,
        );
        for (const timer of timers) timer[Symbol.dispose]();
        assert.equal(clock.pendingTimers, 0);
      },
    ),
    { numRuns: 50 },
  );
});

test('code that a timer sets off runs until it waits again before the next timer fires', async () => {
  const clock = new VirtualClock();
  const log: string[] = [];
  const work = async (name: string) => {
    await clock.sleep(10);
    await setImmediate();
    await readFile(import.meta.filename);
    await setImmediate();
    log.push(`${name} at ${clock.monotonic()}`);
    await clock.sleep(5);
    log.push(`${name} at ${clock.monotonic()}`);
  };
  const all = Promise.all([work('a'), work('b')]);
  await clock.advance(100);
  await all;
  assert.deepEqual(log, ['a at 10', 'b at 10', 'a at 15', 'b at 15']);
});

test('code that has not begun to wait yet gets to its timer before time passes', async () => {
  const clock = new VirtualClock();
  let woke = false;
  const begin = async () => {
    await setImmediate();
    await clock.sleep(10);
    woke = true;
  };
  const work = begin();
  await clock.advance(10);
  await work;
  assert.equal(woke, true);
});

test('runUntil stops at the moment the condition comes true', async () => {
  const clock = new VirtualClock();
  let ticks = 0;
  const tick = () => {
    ticks++;
    clock.timer(100, tick);
  };
  clock.timer(100, tick);
  await clock.runUntil(() => ticks === 3, 10_000);
  assert.equal(clock.monotonic(), 300);
  await assert.rejects(
    clock.runUntil(() => ticks === 100, 1_000),
    /did not come true within 1000 ms; 1 timers are pending/,
  );
  assert.equal(clock.monotonic(), 1_300);
});

test('an error in a timer reaches whoever advances the clock', async () => {
  const clock = new VirtualClock();
  clock.timer(1, () => {
    throw new Error('boom');
  });
  await assert.rejects(clock.advance(1), /boom/);
  await clock.advance(1);
});

test('time neither runs backwards nor passes twice at once', async () => {
  const clock = new VirtualClock();
  await assert.rejects(clock.advance(-1), RangeError);
  await assert.rejects(clock.advance(Number.NaN), RangeError);
  const first = clock.advance(1);
  await assert.rejects(clock.advance(1), /time is passing already/);
  await first;
});

test('the seed decides every random number and UUID', () => {
  const draw = (seed: number) => {
    const clock = new VirtualClock({ seed });
    return [...Array.from({ length: 20 }, () => clock.random()), clock.uuid(), clock.uuid()];
  };
  assert.deepEqual(draw(7), draw(7));
  assert.notDeepEqual(draw(7), draw(8));
  assert.notDeepEqual(draw(7), draw(7 + 2 ** 32));
});

test('random numbers spread evenly over [0, 1) and UUIDs are of version 4', () => {
  const clock = new VirtualClock({ seed: 3 });
  const buckets = new Array<number>(10).fill(0);
  for (let drawn = 0; drawn < 10_000; drawn++) {
    const number = clock.random();
    assert.ok(number >= 0 && number < 1);
    const bucket = Math.floor(number * 10);
    buckets[bucket] = (buckets[bucket] ?? 0) + 1;
  }
  for (const count of buckets) assert.ok(count > 850 && count < 1150, `${buckets}`);
  const uuids = new Set(Array.from({ length: 1_000 }, () => clock.uuid()));
  assert.equal(uuids.size, 1_000);
  for (const uuid of uuids) {
    assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});
