import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gracefulEvictionController } from '@perigee/controllers/placement/failover/graceful-eviction/graceful-eviction-controller';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import {
  addBinding,
  bindingRef,
  eventsOf,
  KINDS,
  type Scope,
  setHealth,
  setScheduled,
  tasksOf,
  whereabouts,
} from '../../../support/bindings.ts';
import { startControlPlane } from '../../../support/control-plane.ts';

const start = () =>
  startControlPlane({ controllers: BINDING_KINDS.map((kind) => gracefulEvictionController(kind)) });

const task = (fromCluster: string, fields: object = {}) => ({
  fromCluster,
  reason: 'TaintUntolerated',
  producer: 'TaintManager',
  ...fields,
});

const leaving = (...gracefulEvictionTasks: readonly object[]) => ({
  spec: { clusters: [{ name: 'm2', replicas: 2 }], gracefulEvictionTasks },
});

for (const scope of Object.keys(KINDS) as Scope[]) {
  describe(`graceful eviction of a ${scope}`, () => {
    it('stamps a task, and ends it when its time is over', async () => {
      await using plane = await start();
      const { client, clock, settled } = plane;
      await addBinding(client, scope, 'web', leaving(task('m1')));
      await settled();
      const [stamped] = await tasksOf(client, scope, 'web');
      assert.equal(stamped?.creationTimestamp, '2026-01-01T00:00:00Z');
      await clock.advance(599_999);
      assert.equal(await whereabouts(client, scope, 'web'), 'm2:2 | m1');
      await clock.advance(1);
      assert.equal(await whereabouts(client, scope, 'web'), 'm2:2 |');
      await clock.advance(5000);
      assert.deepEqual(await eventsOf(client, 'EvictWorkloadFromClusterSucceed'), [
        ...['Deployment', scope].sort().map((kind) => `${kind}: Evict from cluster m1 succeed.`),
      ]);
    });

    it('ends a task when the replacement is healthy by the newest decision', async () => {
      await using plane = await start();
      const { client, clock, settled } = plane;
      await addBinding(client, scope, 'web', leaving(task('m1')));
      await settled();
      await setHealth(client, scope, 'web', { m1: 'Unhealthy', m2: 'Healthy' });
      await settled();
      assert.equal(await whereabouts(client, scope, 'web'), 'm2:2 | m1');
      await setScheduled(client, scope, 'web');
      await settled();
      assert.equal(await whereabouts(client, scope, 'web'), 'm2:2 |');
      assert.ok(clock.now() < Date.UTC(2026, 0, 1, 0, 1));
    });
  });
}

describe('graceful eviction', () => {
  it('waits for as long as a task says, each by itself', async () => {
    await using plane = await start();
    const { client, clock, settled } = plane;
    const tasks = [task('m1', { gracePeriodSeconds: 30 }), task('m3')];
    await addBinding(client, 'ResourceBinding', 'web', leaving(...tasks));
    await settled();
    await clock.advance(30_000);
    assert.equal(await whereabouts(client, 'ResourceBinding', 'web'), 'm2:2 | m3');
  });

  it('keeps a suppressed task until somebody says otherwise', async () => {
    await using plane = await start();
    const { client, clock, settled } = plane;
    const created = '2025-01-01T00:00:00Z';
    const kept = task('m1', { suppressDeletion: true, creationTimestamp: created });
    await addBinding(client, 'ResourceBinding', 'web', leaving(kept));
    await settled();
    await clock.advance(3_600_000);
    assert.equal(await whereabouts(client, 'ResourceBinding', 'web'), 'm2:2 | m1');
    const body = { spec: { gracefulEvictionTasks: [{ ...kept, suppressDeletion: false }] } };
    const ref = bindingRef('ResourceBinding', 'web');
    await client.patch(KINDS.ResourceBinding, ref, { type: 'merge', body });
    await settled();
    assert.equal(await whereabouts(client, 'ResourceBinding', 'web'), 'm2:2 |');
  });

  it('goes on after a restart as if there had been none', async () => {
    await using plane = await start();
    const { client, clock, settled } = plane;
    const creationTimestamp = '2025-12-31T23:51:00Z';
    await addBinding(client, 'ResourceBinding', 'web', leaving(task('m1', { creationTimestamp })));
    await settled();
    assert.equal(await whereabouts(client, 'ResourceBinding', 'web'), 'm2:2 | m1');
    await clock.advance(60_000);
    assert.equal(await whereabouts(client, 'ResourceBinding', 'web'), 'm2:2 |');
  });
});
