import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { findCondition } from '@perigee/api/values/conditions';
import { gracefulEvictionController } from '@perigee/controllers/placement/failover/graceful-eviction/graceful-eviction-controller';
import { schedulerController } from '@perigee/controllers/placement/scheduler/scheduler-controller';
import type { Client } from '@perigee/kube/client/client';
import { isNotFound } from '@perigee/kube/errors';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { clusterReleaseController } from '../../../src/clusters/lifecycle/cluster-release-controller.ts';
import { executionNamespacesController } from '../../../src/placement/execution-namespaces/execution-namespaces-controller.ts';
import {
  addBinding,
  addReadyCluster,
  bindingRef,
  KINDS,
  type Scope,
  setHealth,
  whereabouts,
} from '../../support/bindings.ts';
import { startControlPlane } from '../../support/control-plane.ts';

const start = () =>
  startControlPlane({
    controllers: [
      ...BINDING_KINDS.map((kind) => clusterReleaseController(kind)),
      ...BINDING_KINDS.map((kind) => schedulerController(kind)),
      ...BINDING_KINDS.map((kind) => gracefulEvictionController(kind)),
      executionNamespacesController(),
    ],
  });

const suspended = {
  suspension: { scheduling: true },
  clusters: [
    { name: 'm1', replicas: 1 },
    { name: 'm2', replicas: 1 },
  ],
};

const ABANDONED = { metadata: { annotations: { 'globalscheduler.com/abandon': 'true' } } };
const ONLY_M1 = { clusterAffinity: { clusterNames: ['m1'] } };
const DIVIDED = {
  replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Weighted' },
};

const drainedOf = async (client: Client, name: string) =>
  findCondition((await client.get(MemberCluster, { name })).status?.conditions, 'Drained');

const startWithTwo = async () => {
  const plane = await start();
  await addReadyCluster(plane.client, 'm1');
  await addReadyCluster(plane.client, 'm2');
  return plane;
};

describe('a cluster that goes', () => {
  for (const scope of Object.keys(KINDS) as Scope[]) {
    it(`keeps a ${scope} whose scheduling is suspended, and says so, unless it is forced`, async () => {
      await using plane = await startWithTwo();
      const { client, clock, settled } = plane;
      await addBinding(client, scope, 'held', { spec: suspended });
      await settled();
      await client.delete(MemberCluster, { name: 'm1' });
      await clock.advance(5000);
      assert.equal(await whereabouts(client, scope, 'held'), 'm1:1 m2:1 |');
      const { reason, message = '' } = (await drainedOf(client, 'm1')) ?? {};
      assert.equal(reason, 'WorkStays');
      assert.match(message, /Deployment default\/held \(its scheduling is suspended\)/);
      await client.patch(MemberCluster, { name: 'm1' }, { type: 'merge', body: ABANDONED });
      await clock.advance(5000);
      assert.equal(await whereabouts(client, scope, 'held'), 'm2:1 |');
      await assert.rejects(client.get(MemberCluster, { name: 'm1' }), isNotFound);
    });

    it(`moves a ${scope} elsewhere, and goes when the replacement is healthy`, async () => {
      await using plane = await startWithTwo();
      const { client, clock, settled } = plane;
      await addBinding(client, scope, 'web', { placement: DIVIDED });
      await settled();
      await client.delete(MemberCluster, { name: 'm1' });
      await clock.advance(5000);
      assert.equal(await whereabouts(client, scope, 'web'), 'm2:2 | m1');
      const { reason, message = '' } = (await drainedOf(client, 'm1')) ?? {};
      assert.equal(reason, 'WorkLeaving');
      assert.match(message, /1 to go: Deployment default\/web \(it waits until its replacement/);
      await setHealth(client, scope, 'web', { m2: 'Healthy' });
      await clock.advance(5000);
      assert.equal(await whereabouts(client, scope, 'web'), 'm2:2 |');
      await assert.rejects(client.get(MemberCluster, { name: 'm1' }), isNotFound);
    });

    it(`keeps a ${scope} that fits nowhere else, until something does`, async () => {
      await using plane = await startWithTwo();
      const { client, clock, settled } = plane;
      await addBinding(client, scope, 'pinned', { placement: ONLY_M1 });
      await settled();
      await client.delete(MemberCluster, { name: 'm1' });
      await clock.advance(60_000);
      assert.equal(await whereabouts(client, scope, 'pinned'), 'm1:2 |');
      const { message = '' } = (await drainedOf(client, 'm1')) ?? {};
      assert.match(message, /stays until it does: Deployment default\/pinned \(NoClusterFit: /);
      const ref = bindingRef(scope, 'pinned');
      const body = { spec: { placement: { clusterAffinity: { clusterNames: ['m1', 'm2'] } } } };
      await client.patch(KINDS[scope], ref, { type: 'merge', body });
      await clock.advance(5000);
      assert.equal(await whereabouts(client, scope, 'pinned'), 'm2:2 | m1');
    });
  }

  it('lets go by force also what fits nowhere else', async () => {
    await using plane = await startWithTwo();
    const { client, clock, settled } = plane;
    await addBinding(client, 'ResourceBinding', 'pinned', { placement: ONLY_M1 });
    await settled();
    await client.patch(MemberCluster, { name: 'm1' }, { type: 'merge', body: ABANDONED });
    await client.delete(MemberCluster, { name: 'm1' });
    await clock.advance(5000);
    assert.equal(await whereabouts(client, 'ResourceBinding', 'pinned'), '|');
    await assert.rejects(client.get(MemberCluster, { name: 'm1' }), isNotFound);
  });

  it('is left to the scheduler where there is one', async () => {
    await using plane = await startControlPlane({
      controllers: BINDING_KINDS.map((kind) => clusterReleaseController(kind)),
    });
    const { client, clock, settled } = plane;
    await addReadyCluster(client, 'm1');
    const body = { metadata: { finalizers: ['karmada.io/cluster-controller'] } };
    await client.patch(MemberCluster, { name: 'm1' }, { type: 'merge', body });
    await addBinding(client, 'ResourceBinding', 'web');
    await settled();
    await client.delete(MemberCluster, { name: 'm1' });
    await clock.advance(5000);
    assert.equal(await whereabouts(client, 'ResourceBinding', 'web'), 'm1:2 |');
  });
});
