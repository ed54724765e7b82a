import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
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

  test('is the queue again when the data is there that it waited for meanwhile', async () => {
    await using plane = await startControlPlane({ controllers: queueControllers });
    const { client, clock } = plane;
    await addReadyCluster(client, 'c1');
    const world = queuedWorld(client);
    await world.policy();
    await world.queue('q', { capability: { cpu: '1' } });
    await world.queue('barred', {}, { 'queue.perigee.io/namespaces': 'team=other' });
    await world.job('a', { queue: 'q' });
    await clock.advance(10);
    await world.job('b', { queue: 'q' });
    await world.job('c', { queue: 'barred' });
    const told = async () => {
      await clock.advance(30_000);
      return Promise.all([world.told('b'), world.told('c')]);
    };
    assert.deepEqual(await told(), ['held WaitingForQuota', 'held QueueUnusable']);
    const ref = { namespace: 'default', name: 'all' };
    const spec = { system: 's', dataSourceType: 't', dataSourceName: 'n', workloadSelector: {} };
    await client.create(DataSourceClaim, { metadata: ref, spec });
    assert.deepEqual(await told(), ['held WaitingForData', 'held WaitingForData']);
    const version = async () => (await world.binding('c'))?.metadata.resourceVersion;
    const before = await version();
    await told();
    assert.equal(await version(), before, 'one reason, and not two in turn');
    await client.delete(DataSourceClaim, ref);
    assert.deepEqual(await told(), ['held WaitingForQuota', 'held QueueUnusable']);
  });

  test('is not kept back by work that came when a clock was ahead', () => {
    const delays: number[] = [];
    const reports = new HeldReports({ reportAfter: (ms: number) => delays.push(ms) } as never);
    reports.note('default/ahead', 3_600_000, 0);
    assert.deepEqual(delays, [1000]);
  });
});
