import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { Settling } from '@perigee/kube/controller/settling';

test('news of what moves are gathered, for 200 ms at most', async () => {
  const clock = new VirtualClock();
  const settling = new Settling(clock);
  assert.equal(settling.restOf('web', false), 200);
  await clock.advance(150);
  assert.equal(settling.restOf('web', false), 50);
  await clock.advance(50);
  assert.equal(settling.restOf('web', false), 0);
  // Later writes are told 200 ms after that at the latest.
  await clock.advance(10);
  assert.equal(settling.restOf('web', false), 200);
});

test('what has settled is told at once, however long the news were to wait', async () => {
  const clock = new VirtualClock();
  const settling = new Settling(clock);
  assert.equal(settling.restOf('web', false), 200);
  await clock.advance(20);
  assert.equal(settling.restOf('web', true), 0);
  assert.equal(settling.restOf('other', true), 0);
});

test('what settles again and again is told five times a second', async () => {
  const clock = new VirtualClock();
  const settling = new Settling(clock);
  let told = 0;
  for (let ms = 0; ms < 1000; ms += 10) {
    if (settling.restOf('web', true) === 0) told += 1;
    await clock.advance(10);
  }
  assert.equal(told, 5);
});
