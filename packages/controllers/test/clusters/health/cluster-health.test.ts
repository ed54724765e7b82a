import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { findCondition } from '@perigee/api/values/conditions';
import { clusterHealthController } from '@perigee/controllers/clusters/health/cluster-health-controller';
import { clusterLeaseController } from '@perigee/controllers/clusters/status/cluster-lease-controller';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { Lease } from '@perigee/kubernetes/coordination/lease';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { eventsOf, setReady, setTaints } from '../../support/bindings.ts';
import { startControlPlane } from '../../support/control-plane.ts';

const start = async () => {
  const plane = await startControlPlane({ controllers: [clusterHealthController()] });
  const { client, clock } = plane;
  await client.create(Namespace, { metadata: { name: 'karmada-cluster' } });
  const join = (syncMode: 'Push' | 'Pull') =>
    client.create(MemberCluster, { metadata: { name: 'm1' }, spec: { syncMode } });
  const taints = async () => {
    const { spec } = await client.get(MemberCluster, { name: 'm1' });
    return (spec.taints ?? []).map(({ key, effect }) => `${key.split('/').at(-1)}:${effect}`);
  };
  const ready = async () => {
    const { status } = await client.get(MemberCluster, { name: 'm1' });
    const { status: value, reason } = findCondition(status?.conditions, 'Ready') ?? {};
    return `${value} ${reason}`;
  };
  const logger = createLogger({ clock, level: 'error' });
  const startAgent = async () => {
    const controllers = [clusterLeaseController({ cluster: 'm1' })];
    const manager = new Manager({ client, clock, logger, controllers });
    await manager.start();
    return manager;
  };
  return { ...plane, join, taints, ready, startAgent };
};

describe('taints of clusters', () => {
  it('keep work away until a cluster is ready, and whenever it is not', async () => {
    await using world = await start();
    const { client, join, settled, taints, clock } = world;
    await join('Push');
    await settled();
    assert.deepEqual(await taints(), ['not-ready:NoSchedule']);
    const seen: (readonly string[])[] = [];
    for (const status of ['True', 'False', 'Unknown', 'False', 'True']) {
      await setReady(client, 'm1', status);
      await settled();
      seen.push(await taints());
    }
    assert.deepEqual(seen, [
      [],
      ['not-ready:NoSchedule'],
      ['unreachable:NoSchedule'],
      ['not-ready:NoSchedule'],
      [],
    ]);
    await clock.advance(5000);
    assert.ok(
      (await eventsOf(client, 'TaintClusterSucceed')).includes(
        'Cluster: Taint cluster succeed: cluster now has taints([{Key:cluster.karmada.io/unreachable,Effect:NoSchedule}]).',
      ),
    );
  });

  it('leave alone what users add, and say since when it drives work out', async () => {
    await using world = await start();
    const { client, join, settled, taints, clock } = world;
    await join('Push');
    await setReady(client, 'm1', 'True');
    await settled();
    await clock.advance(5000);
    await setTaints(client, 'm1', [{ key: 'mine', effect: 'NoExecute' }]);
    await settled();
    assert.deepEqual(await taints(), ['mine:NoExecute']);
    const { spec } = await client.get(MemberCluster, { name: 'm1' });
    assert.equal(spec.taints?.[0]?.timeAdded, '2026-01-01T00:00:05Z');
  });
});

describe('the silence of agents', () => {
  it('of one that never said a word is noticed after a minute', async () => {
    await using world = await start();
    const { join, clock, ready, taints } = world;
    await join('Pull');
    await clock.advance(59_999);
    assert.equal(await ready(), 'undefined undefined');
    await clock.advance(1);
    assert.equal(await ready(), 'Unknown ClusterStatusNeverUpdated');
    assert.deepEqual(await taints(), ['unreachable:NoSchedule']);
  });

  it('is noticed 40 s after the last renewal of the lease', async () => {
    await using world = await start();
    const { client, join, clock, ready, startAgent } = world;
    await join('Pull');
    {
      await using _ = await startAgent();
      await setReady(client, 'm1', 'True');
      await clock.advance(600_000);
      assert.equal(await ready(), 'True Test');
      const { spec, metadata } = await client.get(Lease, {
        namespace: 'karmada-cluster',
        name: 'm1',
      });
      assert.equal(spec?.holderIdentity, 'm1');
      assert.equal(spec?.leaseDurationSeconds, 40);
      assert.equal(metadata.ownerReferences?.[0]?.kind, 'Cluster');
    }
    await clock.advance(39_999);
    assert.equal(await ready(), 'True Test');
    await clock.advance(1);
    assert.equal(await ready(), 'Unknown ClusterStatusUnknown');
  });

  it('ends when the agent writes a status again', async () => {
    await using world = await start();
    const { client, join, clock, ready, taints, settled } = world;
    await join('Pull');
    await setReady(client, 'm1', 'True');
    await clock.advance(60_000);
    assert.equal(await ready(), 'Unknown ClusterStatusUnknown');
    await setReady(client, 'm1', 'True');
    await settled();
    assert.deepEqual(await taints(), []);
    await clock.advance(30_000);
    assert.equal(await ready(), 'True Test');
  });

  it('is of no account for clusters that are pushed to', async () => {
    await using world = await start();
    const { client, join, clock, ready } = world;
    await join('Push');
    await setReady(client, 'm1', 'True');
    await clock.advance(3_600_000);
    assert.equal(await ready(), 'True Test');
  });
});
