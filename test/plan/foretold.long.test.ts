import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkFleets } from './check-fleets.ts';

test('plans come true, and suggestions help, in 1,000 random fleets', async () => {
  const followed = await checkFleets(1000);
  assert.ok(followed > 200, `only ${followed} suggestions were followed`);
});
