import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { formatTime } from '@perigee/schema/values/time';
import { addReadyCluster } from '../support/bindings.ts';
import { startControlPlane } from '../support/control-plane.ts';
import { queueControllers, queuedWorld } from './queued-world.ts';

suite('work that was let through and is not placed', () => {
  test('has its time after each release, whatever the scheduler said before', async () => {
    // Without a scheduler: what it said is all that there is.
    await using plane = await startControlPlane({
      controllers: (parts) => queueControllers(parts).filter(({ name }) => name !== 'scheduler'),
    });
    const { client, clock } = plane;
    await addReadyCluster(client, 'c1');
    const world = queuedWorld(client);
    await world.policy();
    await world.queue('q');
    await world.job('a');
    await clock.advance(1000);
    const scheduled = {
      type: 'Scheduled',
      status: 'False',
      reason: 'NoClusterFit',
      message: '',
      lastTransitionTime: formatTime(clock.now()),
    };
    const patch = { type: 'merge', body: { status: { conditions: [scheduled] } } } as const;
    const ref = { namespace: 'default', name: 'a-job' };
    await client.patch(ResourceBinding, ref, patch, { subresource: 'status' });
    await clock.advance(60_000);
    await world.edit('a', { metadata: { labels: { 'volcano.sh/queue-name': 'q' } } });
    await clock.advance(2000);
    const releasedAt = async () => {
      const { metadata } = (await world.binding('a')) ?? {};
      return JSON.parse(metadata?.annotations?.['policy.perigee.io/reserved'] ?? '{}').at;
    };
    const first = await releasedAt();
    assert.notEqual(first, undefined, 'it was let through');
    await clock.advance(20_000);
    assert.equal(await releasedAt(), first, 'and not taken back and let through again');
    await clock.advance(20_000);
    assert.notEqual(await releasedAt(), first);
  });
});
