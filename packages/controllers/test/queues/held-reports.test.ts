import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import { HeldReports } from '../../src/queues/held-reports.ts';
import { addReadyCluster } from '../support/bindings.ts';
import { startControlPlane } from '../support/control-plane.ts';
import { queueControllers, queuedWorld } from './queued-world.ts';

suite('why work waits', () => {
  test('is told anew in another term of the leadership, whatever was said in between', async () => {
    // The same controllers start again, as in a process that leads once more.
    let controllers: readonly ControllerDefinition[] | undefined;
    await using plane = await startControlPlane({
      controllers: (parts) => {
        controllers ??= queueControllers(parts);
        return controllers;
      },
    });
    const { client, clock } = plane;
    await addReadyCluster(client, 'c1');
    const world = queuedWorld(client);
    await world.policy();
    await world.queue('q', { capability: { cpu: '1' } });
    for (const name of ['a', 'b']) {
      await world.job(name, { queue: 'q' });
      await clock.advance(10);
    }
    await clock.advance(3000);
    assert.equal(await world.told('b'), 'held WaitingForQuota');
    const { status } = (await world.binding('b')) ?? {};
    const admitted = findCondition(status?.conditions, 'Admitted');
    const others = (status?.conditions ?? []).filter(({ type }) => type !== 'Admitted');
    const conditions = [...others, { ...admitted, reason: 'QueueClosed', message: 'as if' }];
    const patch = { type: 'merge', body: { status: { conditions } } } as const;
    const ref = { namespace: 'default', name: 'b-job' };
    await client.patch(ResourceBinding, ref, patch, { subresource: 'status' });
    await plane.restart();
    await clock.advance(30_000);
    assert.equal(await world.told('b'), 'held WaitingForQuota');
  });

  test('is not kept back by work that came when a clock was ahead', () => {
    const delays: number[] = [];
    const reports = new HeldReports({ reportAfter: (ms: number) => delays.push(ms) } as never);
    reports.note('default/ahead', 3_600_000, 0);
    assert.deepEqual(delays, [1000]);
  });
});
