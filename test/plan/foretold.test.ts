import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkFleets } from './check-fleets.ts';

const FLEETS = Number(process.env.PERIGEE_FLEETS ?? 12);

test(`plans come true, and suggestions help, in ${FLEETS} random fleets`, async () => {
  const followed = await checkFleets(FLEETS);
  assert.ok(followed > FLEETS / 5, `only ${followed} suggestions were followed`);
});
