import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { PLACEMENT_CONTROLLER_NAMES } from '../../src/placement/placement-controller-names.ts';
import { openPlacement } from '../../src/placement/placement-controllers.ts';

test('the list of controllers names all of them, and no other', async () => {
  const clock = new VirtualClock();
  await using server = await startEmbeddedServer({ clock, listener: 'none' });
  const logger = createLogger({ clock });
  await using placement = openPlacement({ client: server.client, clock, logger, sharding: {} });
  const names = placement.controllers.map(({ name }) => name);
  assert.deepEqual(names.toSorted(), PLACEMENT_CONTROLLER_NAMES);
});
