import { test } from 'node:test';
import fc from 'fast-check';
import { Foretold } from './foretell.ts';
import { startForetoldPlane } from './foretold-plane.ts';
import { randomChange, randomFleet } from './random-fleet.ts';

const RUNS = Number(process.env.PERIGEE_FLEETS ?? 12);

test(`what a plan foretells is what then happens, in ${RUNS} random fleets`, async () => {
  await fc.assert(
    fc.asyncProperty(
      randomFleet,
      fc.array(randomChange, { minLength: 1, maxLength: 3 }),
      async (fleet, changes) => {
        await using plane = await startForetoldPlane();
        const foretold = new Foretold(plane, fleet);
        await foretold.begin();
        for (const change of changes) await foretold.check(change);
      },
    ),
    { numRuns: RUNS },
  );
});
