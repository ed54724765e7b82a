import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Foretold } from './foretell.ts';
import { startForetoldPlane } from './foretold-plane.ts';
import { randomChange, randomFleet } from './random-fleet.ts';

const RUNS = Number(process.env.PERIGEE_FLEETS ?? 12);

test(`what a plan foretells is what then happens, in ${RUNS} random fleets`, async () => {
  const changes = fc.array(randomChange, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(randomFleet, changes, async (fleet, happening) => {
      await using plane = await startForetoldPlane();
      const foretold = new Foretold(plane, fleet);
      await foretold.begin();
      for (const change of happening) await foretold.check(change);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});

test(`work runs after what is suggested, in ${RUNS} random fleets`, async () => {
  let followed = 0;
  await fc.assert(
    fc.asyncProperty(randomFleet, async (fleet) => {
      await using plane = await startForetoldPlane();
      const foretold = new Foretold(plane, fleet);
      await foretold.begin();
      followed += await foretold.checkSuggestions();
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  assert.ok(followed > RUNS / 4, `only ${followed} pieces of work did not run`);
});
