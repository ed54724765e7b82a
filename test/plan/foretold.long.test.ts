import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkFleets } from './check-fleets.ts';

const PARTS = [1, 2, 3, 4];
const FLEETS = Number(process.env.PERIGEE_FLEETS ?? 80) / PARTS.length;

for (const part of PARTS) {
  test(`plans come true, and suggestions help, in ${FLEETS} random fleets, part ${part} of ${PARTS.length}`, async () => {
    const followed = await checkFleets(FLEETS, part);
    assert.ok(followed > FLEETS / 5, `only ${followed} suggestions were followed`);
  });
}
