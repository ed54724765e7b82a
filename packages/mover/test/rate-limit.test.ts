import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateLimit } from '../src/serve/rate-limit.ts';

/** Time that passes only while somebody waits. */
const waitingClock = () => {
  let now = 1000;
  return {
    monotonic: () => now,
    delay: async (ms: number) => {
      now += ms;
    },
    get now() {
      return now;
    },
  };
};

test('bytes pass at the rate, which can change meanwhile', async () => {
  const clock = waitingClock();
  const rate = new RateLimit(clock, 1000);
  const start = clock.now;
  for (let at = 0; at < 20; at++) await rate.pass(100);
  // A tenth of a second may be ahead.
  assert.equal(clock.now - start, 1900);
  rate.bytesPerSecond = 10_000;
  for (let at = 0; at < 20; at++) await rate.pass(100);
  assert.equal(clock.now - start, 2100);
  rate.bytesPerSecond = undefined;
  await rate.pass(2 ** 40);
  assert.equal(clock.now - start, 2100);
});

test('who was slow before may not catch up with all of it', async () => {
  const clock = waitingClock();
  const rate = new RateLimit(clock, 1000);
  await clock.delay(60_000);
  const start = clock.now;
  await rate.pass(1000);
  assert.equal(clock.now - start, 900);
});
