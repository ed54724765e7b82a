import assert from 'node:assert/strict';
import { test } from 'node:test';
import { realClock } from '@perigee/kube/clock/real-clock';
import { startEmbeddedServer } from '../../src/embedded/embedded-server.ts';
import { play, readScenario, scenarioFiles } from './scenarios/scenario.ts';

for (const file of scenarioFiles()) {
  test(`answers as kube-apiserver 1.36 did: ${file}`, async () => {
    await using server = await startEmbeddedServer({
      clock: realClock,
      serviceRange: '10.0.0.0/24',
      // As whom the scenarios were recorded.
      authorize: () => ({
        name: 'admin',
        uid: '1',
        groups: ['system:masters', 'system:authenticated'],
      }),
      clusterControllers: false,
    });
    const scenario = readScenario(file);
    const played = await play({ url: server.url }, scenario, 'played');
    for (const [index, step] of scenario.steps.entries()) {
      assert.deepEqual(played[index]?.answer, step.answer, `${index + 1}. ${step.do}`);
    }
  });
}
