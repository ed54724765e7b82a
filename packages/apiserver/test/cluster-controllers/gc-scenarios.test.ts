import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setUpCollector } from './collector-fixture.ts';
import { SCENARIOS, Stage } from './gc-scenarios.ts';

for (const [index, { name, play, left, events = [] }] of SCENARIOS.entries()) {
  test(`${name}: the collector leaves what it should`, async () => {
    await using world = await setUpCollector();
    const stage = new Stage(world.client, `gc${index}-`);
    await stage.open();
    await play(stage);
    await world.settle();
    assert.deepEqual(await stage.left(), left);
    assert.deepEqual(await stage.events(), events);
  });
}
