import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ClusterTaintPolicy } from '@perigee/api/kinds/clusters/cluster-taint-policy';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { clusterHealthController } from '@perigee/controllers/clusters/health/cluster-health-controller';
import { clusterTaintPolicyController } from '@perigee/controllers/clusters/health/cluster-taint-policy-controller';
import { addReadyCluster, eventsOf, setReady, setTaints } from '../../support/bindings.ts';
import { startControlPlane } from '../../support/control-plane.ts';

const lost = (forSeconds: number, targetClusters: object) => ({
  metadata: { name: 'lost' },
  spec: {
    targetClusters,
    addOnConditions: [
      {
        conditionType: 'Ready',
        operator: 'In',
        statusValues: ['False', 'Unknown'],
        forSeconds,
      },
    ],
    removeOnConditions: [{ conditionType: 'Ready', operator: 'In', statusValues: ['True'] }],
    taints: [{ key: 'lost', effect: 'NoExecute' }],
  } as const,
});

it('clusters get and lose taints as policies say, and keep those of others and of policies that are gone', async () => {
  await using plane = await startControlPlane({
    controllers: [clusterHealthController(), clusterTaintPolicyController()],
  });
  const { client, clock, settled } = plane;
  const taints = async (name: string) => {
    const { spec } = await client.get(MemberCluster, { name });
    return (spec.taints ?? []).map(({ key, effect }) => `${key.split('/').at(-1)}:${effect}`);
  };
  await addReadyCluster(client, 'm1');
  await addReadyCluster(client, 'm2');
  await settled();
  await setTaints(client, 'm1', [{ key: 'mine', effect: 'NoExecute' }]);
  await setReady(client, 'm1', 'False');
  await setReady(client, 'm2', 'Unknown');
  await settled();
  assert.deepEqual(await taints('m1'), ['mine:NoExecute', 'not-ready:NoSchedule']);

  // A policy finds what is so already, counts from when it became so, and waits for the rest of the time.
  await client.create(ClusterTaintPolicy, lost(60, { exclude: ['m2'] }) as never);
  await clock.advance(59_999);
  assert.deepEqual(await taints('m1'), ['mine:NoExecute', 'not-ready:NoSchedule']);
  await clock.advance(1);
  assert.deepEqual(await taints('m1'), [
    'mine:NoExecute',
    'not-ready:NoSchedule',
    'lost:NoExecute',
  ]);
  assert.deepEqual(await taints('m2'), ['unreachable:NoSchedule']);

  // Both controllers write at once, and one of them tries again.
  await setReady(client, 'm1', 'True');
  await clock.advance(1000);
  assert.deepEqual(await taints('m1'), ['mine:NoExecute']);

  const { metadata } = await client.get(ClusterTaintPolicy, { name: 'lost' });
  const { spec } = lost(0, { clusterNames: ['m2'] });
  const body = { spec: { ...spec, targetClusters: { clusterNames: ['m2'], exclude: null } } };
  await client.patch(ClusterTaintPolicy, { name: metadata.name }, { type: 'merge', body });
  await settled();
  assert.deepEqual(await taints('m2'), ['unreachable:NoSchedule', 'lost:NoExecute']);
  await client.delete(ClusterTaintPolicy, { name: 'lost' });
  await setReady(client, 'm2', 'True');
  await clock.advance(5000);
  assert.deepEqual(await taints('m2'), ['lost:NoExecute']);
  const told = await eventsOf(client, 'TaintClusterSucceed');
  assert.ok(
    told.includes(
      'Cluster: Update Cluster(m2) with taints(cluster now has taints([{Key:cluster.karmada.io/unreachable,Effect:NoSchedule},{Key:lost,Effect:NoExecute}])) succeed',
    ),
    told.join('\n'),
  );
});
