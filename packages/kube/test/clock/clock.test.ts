import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import type { Clock } from '@perigee/kube/clock/clock';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import { realClock } from '@perigee/kube/clock/real-clock';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';

const virtualClock = new VirtualClock();
const clocks: readonly [string, Clock, () => Promise<void>][] = [
  ['real', realClock, async () => {}],
  ['virtual', virtualClock, () => virtualClock.advance(50)],
];

for (const [name, clock, pass] of clocks) {
  describe(`the ${name} clock`, () => {
    test('runs a timer once, not before its delay', async () => {
      const before = clock.monotonic();
      const { promise, resolve } = Promise.withResolvers<number>();
      clock.timer(5, () => resolve(clock.monotonic()));
      await pass();
      // Node rounds delays to whole milliseconds on a clock of its own.
      assert.ok((await promise) - before >= 4);
    });

    test('sleeps until the delay is over and leaves no listener on the signal', async () => {
      const { signal } = new AbortController();
      const asleep = clock.sleep(5, signal);
      assert.equal(getEventListeners(signal, 'abort').length, 1);
      await pass();
      await asleep;
      assert.equal(getEventListeners(signal, 'abort').length, 0);
    });

    test('an abort wakes a sleeper at once, with the reason', async () => {
      const controller = new AbortController();
      const reason = new Error('enough');
      const asleep = clock.sleep(1_000_000, controller.signal);
      controller.abort(reason);
      await assert.rejects(asleep, (error) => error === reason);
      assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
      await assert.rejects(clock.sleep(0, controller.signal), (error) => error === reason);
    });

    test('those who yield go on one by one, and let everybody else go on in between', async () => {
      const steps: string[] = [];
      const work = async (worker: string) => {
        for (let slice = 0; slice < 3; slice++) {
          steps.push(`${worker}${slice}`);
          await clock.yield();
        }
      };
      const others = async () => {
        for (let turn = 0; turn < 6; turn++) {
          await new Promise((resolve) => setImmediate(resolve));
          steps.push('.');
        }
      };
      await Promise.all([work('a'), work('b'), others()]);
      // Both workers have a slice before they yield; then each turn has one slice of one of them.
      assert.equal(steps.join(' '), 'a0 b0 a1 . b1 . a2 . b2 . . .');
    });

    test('a deadline aborts its signal with a TimeoutError', async () => {
      const parent = new AbortController();
      using deadline = deadlineAfter(clock, 5, parent.signal);
      const { promise, resolve } = Promise.withResolvers<void>();
      deadline.signal.addEventListener('abort', () => resolve());
      assert.equal(deadline.signal.aborted, false);
      await pass();
      await promise;
      assert.equal(deadline.signal.reason.name, 'TimeoutError');
      assert.equal(getEventListeners(parent.signal, 'abort').length, 0);
    });

    test('a parent aborts the deadline with its own reason', () => {
      const parent = new AbortController();
      const reason = new Error('stop');
      const deadline = deadlineAfter(clock, 1_000_000, parent.signal);
      parent.abort(reason);
      assert.equal(deadline.signal.reason, reason);
      assert.equal(deadlineAfter(clock, 5, parent.signal).signal.reason, reason);
    });

    test('a disposed deadline never fires and lets go of its parent', async () => {
      const parent = new AbortController();
      const deadline = deadlineAfter(clock, 1, parent.signal);
      deadline[Symbol.dispose]();
      assert.equal(getEventListeners(parent.signal, 'abort').length, 0);
      const asleep = clock.sleep(10);
      await pass();
      await asleep;
      parent.abort();
      assert.equal(deadline.signal.aborted, false);
    });
  });
}

test('no timer of the virtual clock is left behind', () => {
  assert.equal(virtualClock.pendingTimers, 0);
});

test('the real clock agrees with the wall clock to the millisecond and has finer steps', () => {
  const readings = new Set<number>();
  for (let reading = 0; reading < 10_000; reading++) {
    const before = Date.now();
    const now = realClock.now();
    assert.ok(before <= now && now < Date.now() + 1);
    readings.add(now);
  }
  assert.ok([...readings].some((now) => !Number.isInteger(now)));
});

test('the real clock keeps delays that are longer than Node can', async () => {
  let fired = false;
  using _timer = realClock.timer(2 ** 31 + 1_000, () => {
    fired = true;
  });
  await realClock.sleep(10);
  assert.equal(fired, false);
});
