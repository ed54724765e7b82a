import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Cluster } from '@perigee/api/kinds/karmada/cluster';
import { clusterReleaseControllers } from '@perigee/controllers/cluster-lifecycle/cluster-release-controller';
import { executionNamespacesController } from '@perigee/controllers/execution-namespaces/execution-namespaces-controller';
import { schedulerControllers } from '@perigee/controllers/scheduler/scheduler-controller';
import { isNotFound } from '@perigee/kube/errors';
import {
  addBinding,
  addReadyCluster,
  KINDS,
  type Scope,
  whereabouts,
} from '../support/bindings.ts';
import { startControlPlane } from '../support/control-plane.ts';

const start = () =>
  startControlPlane({
    controllers: [
      ...clusterReleaseControllers(),
      ...schedulerControllers(),
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

describe('a cluster that goes', () => {
  for (const scope of Object.keys(KINDS) as Scope[]) {
    it(`is taken out of a ${scope} that waits for nobody, and goes`, async () => {
      await using plane = await start();
      const { client, clock, settled } = plane;
      await addReadyCluster(client, 'm1');
      await addReadyCluster(client, 'm2');
      await addBinding(client, scope, 'held', { spec: suspended });
      await settled();
      assert.equal(await whereabouts(client, scope, 'held'), 'm1:1 m2:1 |');
      await client.delete(Cluster, { name: 'm1' });
      await clock.advance(5000);
      assert.equal(await whereabouts(client, scope, 'held'), 'm2:1 |');
      await assert.rejects(client.get(Cluster, { name: 'm1' }), isNotFound);
    });
  }

  it('is left to the scheduler where there is one', async () => {
    await using plane = await startControlPlane({ controllers: clusterReleaseControllers() });
    const { client, clock, settled } = plane;
    await addReadyCluster(client, 'm1');
    const body = { metadata: { finalizers: ['karmada.io/cluster-controller'] } };
    await client.patch(Cluster, { name: 'm1' }, { type: 'merge', body });
    await addBinding(client, 'ResourceBinding', 'web');
    await settled();
    await client.delete(Cluster, { name: 'm1' });
    await clock.advance(5000);
    assert.equal(await whereabouts(client, 'ResourceBinding', 'web'), 'm1:2 |');
  });
});
