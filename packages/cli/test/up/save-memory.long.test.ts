import assert from 'node:assert/strict';
import { test } from 'node:test';
import { realClock } from '@perigee/kube/clock/real-clock';
import { saveMemory } from '../../src/up/save-memory.ts';

const MIB = 2 ** 20;
const committed = (): number => process.memoryUsage().heapTotal;

/** Memory that lives until it has been moved to the old generation, and then goes. */
const fillAndForget = (): void => {
  const kept = Array.from({ length: 200_000 }, (_, at) => ({ at, text: `${at}`, list: [at, at] }));
  assert.equal(kept.length, 200_000);
};

test('a process that has nothing to do returns what its work took', async () => {
  for (let round = 0; round < 20; round++) fillAndForget();
  const busiest = committed();
  assert.ok(busiest > 64 * MIB, `the work took only ${busiest} bytes`);
  using _ = saveMemory(realClock);
  // Occasional allocations, as by heartbeats, keep V8 from giving memory back by itself.
  const heartbeats: object[] = [];
  while (committed() > busiest / 2) {
    await realClock.sleep(100);
    heartbeats.push({ at: realClock.now() });
  }
});
