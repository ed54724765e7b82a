import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import {
  defaultRateLimiter,
  exponentialBackoff,
  tokenBucket,
} from '../../src/queue/rate-limiter.ts';

test('the wait of a key doubles up to the limit, without overflow', () => {
  const limiter = exponentialBackoff<string>({ baseMs: 5, maxMs: 1_000_000 });
  const waits = Array.from({ length: 20 }, () => limiter.nextDelayMs('a'));
  assert.deepEqual(waits.slice(0, 5), [5, 10, 20, 40, 80]);
  assert.equal(waits[17], 655_360);
  assert.deepEqual(waits.slice(18), [1_000_000, 1_000_000]);
  for (let n = 0; n < 2000; n++) limiter.nextDelayMs('a');
  assert.equal(limiter.nextDelayMs('a'), 1_000_000);
  assert.equal(limiter.nextDelayMs('b'), 5);
});

test('forgetting a key resets its failures', () => {
  const limiter = exponentialBackoff<string>({ baseMs: 1, maxMs: 100 });
  limiter.nextDelayMs('a');
  limiter.nextDelayMs('a');
  assert.equal(limiter.failures('a'), 2);
  limiter.forget('a');
  assert.equal(limiter.failures('a'), 0);
  assert.equal(limiter.nextDelayMs('a'), 1);
});

test('the bucket lets a burst through, then spaces the rest, and refills with time', async () => {
  const clock = new VirtualClock();
  const limiter = tokenBucket<number>(clock, { perSecond: 10, burst: 3 });
  const waits = Array.from({ length: 5 }, (_, n) => limiter.nextDelayMs(n));
  assert.deepEqual(waits, [0, 0, 0, 100, 200]);
  await clock.advance(10_000);
  const later = Array.from({ length: 5 }, (_, n) => limiter.nextDelayMs(n));
  assert.deepEqual(later, [0, 0, 0, 100, 200]);
});

test('the default limits each key by its failures and all keys together to 200 a second', () => {
  const limiter = defaultRateLimiter<number>(new VirtualClock());
  for (let n = 0; n < 1000; n++) assert.equal(limiter.nextDelayMs(n), 5);
  assert.equal(limiter.nextDelayMs(1000), 5);
  assert.equal(limiter.nextDelayMs(1001), 10);
  assert.equal(limiter.failures(1001), 1);
});
