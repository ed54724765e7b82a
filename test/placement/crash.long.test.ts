import { test } from 'node:test';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { seededRandom } from '@perigee/kube/clock/seeded-random';
import { type Dice, expectedSight, rollRequest } from './crash-requests.ts';
import { connectCrashWorld, MEMBERS, untilSeen } from './crash-world.ts';
import { openFolder, spawnUp } from './perigee-process.ts';

const ROUNDS = Number(process.env.PERIGEE_CRASH_ROUNDS ?? 3);
const SEED = Number(process.env.PERIGEE_SEED ?? 1);
const LATEST_KILL_MS = 1500;
const LATEST_KILL_AT_START_MS = 4000;

const diceOf = (seed: number): Dice => {
  const random = seededRandom(seed);
  return (below) => Math.floor(random() * below);
};

/** Whatever was under way may fail in whatever way. */
const evenIfItFails = async (work: Promise<unknown>): Promise<void> => {
  await work.catch(() => {});
};

test(`${ROUNDS} crashes at any moment change nothing about the end`, async (t) => {
  const dice = diceOf(SEED);
  using folder = openFolder();
  const up = () => spawnUp(folder.path, '--port', '0', '--members', String(MEMBERS.length));
  let running = up();
  await running.ready;
  try {
    for (let round = 1; round <= ROUNDS; round++) {
      const request = rollRequest(dice, MEMBERS.length);
      const first = await connectCrashWorld(folder.path);
      const requesting = evenIfItFails(first.request(request));
      await clock.sleep(dice(LATEST_KILL_MS));
      await running.kill();
      await requesting;
      await first[Symbol.asyncDispose]();
      if (dice(3) === 0) {
        const unlucky = up();
        await clock.sleep(dice(LATEST_KILL_AT_START_MS));
        await unlucky.kill();
      }
      running = up();
      await running.ready;
      await using world = await connectCrashWorld(folder.path);
      await world.request(request);
      const what = `round ${round} of seed ${SEED}: ${JSON.stringify(request)}`;
      await untilSeen(world, expectedSight(request), what);
      if (round % 10 === 0) t.diagnostic(`${round} rounds`);
    }
  } finally {
    await running[Symbol.asyncDispose]();
  }
});
