import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { Deadlines } from '../../src/clock/deadlines.ts';

test('each deadline ends at its own time, though one timer serves them all', async () => {
  const clock = new VirtualClock();
  using deadlines = new Deadlines(clock, 1_000, new AbortController().signal);
  const ended: string[] = [];
  const start = (name: string) => {
    const deadline = deadlines.start();
    deadline.onEnd = () => void ended.push(`${name} ${clock.monotonic()}`);
    return deadline;
  };
  const first = start('first');
  await clock.advance(300);
  const second = start('second');
  await clock.advance(300);
  const third = start('third');
  assert.equal(clock.pendingTimers, 1);
  second[Symbol.dispose]();
  await clock.advance(5_000);
  assert.deepEqual(ended, ['first 1000', 'third 1600']);
  assert.equal(first.signal.reason.name, 'TimeoutError');
  assert.ok(third.signal.aborted);
  assert.ok(!second.signal.aborted);
  assert.equal(clock.pendingTimers, 0);
});

test('the parent ends all that run, and all that start after it', async () => {
  const clock = new VirtualClock();
  const parent = new AbortController();
  using deadlines = new Deadlines(clock, 1_000, parent.signal);
  const running = deadlines.start();
  const done = deadlines.start();
  done[Symbol.dispose]();
  parent.abort('the term has ended');
  assert.equal(running.signal.reason, 'the term has ended');
  assert.ok(!done.signal.aborted);
  assert.equal(deadlines.start().signal.reason, 'the term has ended');
  assert.equal(clock.pendingTimers, 0);
});

test('what is disposed leaves no timer behind', async () => {
  const clock = new VirtualClock();
  {
    using deadlines = new Deadlines(clock, 1_000, new AbortController().signal);
    using _ = deadlines.start();
  }
  assert.equal(clock.pendingTimers, 0);
});
