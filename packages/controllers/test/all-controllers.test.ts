import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { CONTROLLER_NAMES } from '@perigee/controllers/all-controllers';
import { openControllers } from '@perigee/controllers/open-controllers';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { createLogger } from '@perigee/kube/observe/logger';

test('each controller is made under its own name, and only those that are chosen', async () => {
  const clock = new VirtualClock();
  await using server = await startEmbeddedServer({ clock, listener: 'none' });
  const common = { client: server.client, clock, logger: createLogger({ clock }) };
  const namesOf = async (names: readonly string[]) => {
    await using made = openControllers({ ...common, chosenControllers: new Set(names) });
    return made.controllers.map(({ name }) => name);
  };
  assert.deepEqual(await namesOf(CONTROLLER_NAMES), CONTROLLER_NAMES);
  assert.deepEqual(await namesOf(['scheduler', 'detector']), ['detector', 'scheduler']);
});
