import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DaemonSet } from '@perigee/kubernetes/apps/daemon-set';
import { Node } from '@perigee/kubernetes/core/node';
import { Pod } from '@perigee/kubernetes/core/pod';
import { startCluster, type TestCluster, template } from './member-fixture.ts';

const REF = { namespace: 'default', name: 'agent' };

const nodesOf = async (cluster: TestCluster): Promise<readonly (string | undefined)[]> =>
  (await cluster.pods()).map(({ spec }) => spec.nodeName).toSorted();

describe('a daemon set', () => {
  it('runs a pod on each node that it is meant for', async () => {
    await using cluster = await startCluster({
      nodes: [
        { name: 'a', count: 2 },
        { name: 'b', count: 1, taints: [{ key: 'x', effect: 'NoSchedule' }] },
        { name: 'c', count: 1, labels: { skip: 'me' } },
      ],
    });
    const { client, clock } = cluster;
    const keepAway = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'skip', operator: 'DoesNotExist' }] }],
        },
      },
    };
    await client.create(DaemonSet, {
      metadata: REF,
      spec: {
        selector: { matchLabels: { app: 'agent' } },
        template: template('agent', { affinity: keepAway }),
      },
    });
    await clock.advance(3000);
    assert.deepEqual(await nodesOf(cluster), ['a-0', 'a-1']);
    const { status } = await client.get(DaemonSet, REF);
    assert.deepEqual(status, {
      observedGeneration: 1,
      currentNumberScheduled: 2,
      desiredNumberScheduled: 2,
      numberMisscheduled: 0,
      numberReady: 2,
      numberAvailable: 2,
      updatedNumberScheduled: 2,
    });
    await client.patch(Node, { name: 'b-0' }, { type: 'merge', body: { spec: { taints: null } } });
    const unschedulable = { type: 'merge', body: { spec: { unschedulable: true } } } as const;
    await client.patch(Node, { name: 'a-0' }, unschedulable);
    await clock.advance(3000);
    assert.deepEqual(await nodesOf(cluster), ['a-0', 'a-1', 'b-0']);
    await client.delete(Node, { name: 'a-1' });
    await clock.advance(3000);
    assert.deepEqual(await nodesOf(cluster), ['a-0', 'b-0']);
  });

  it('changes one pod after another', async () => {
    await using cluster = await startCluster({ nodes: [{ count: 3 }] });
    const { client } = cluster;
    await client.create(DaemonSet, {
      metadata: REF,
      spec: { selector: { matchLabels: { app: 'agent' } }, template: template('agent') },
    });
    await cluster.clock.advance(3000);
    const containers = [{ name: 'main', image: 'app:2' }];
    const body = { spec: { template: { spec: { containers } } } };
    await client.patch(DaemonSet, REF, { type: 'strategic', body });
    let least = 3;
    await cluster.until(async () => {
      const { status } = await client.get(DaemonSet, REF);
      least = Math.min(least, status?.numberAvailable ?? 0);
      return status?.updatedNumberScheduled === 3 && status.numberAvailable === 3;
    }, 60);
    assert.equal(least, 2);
  });

  it('leaves a node that expels it, and stays on one that only takes no more pods', async () => {
    await using cluster = await startCluster({ nodes: [{ count: 3 }] });
    const { client, clock } = cluster;
    await client.create(DaemonSet, {
      metadata: REF,
      spec: { selector: { matchLabels: { app: 'agent' } }, template: template('agent') },
    });
    await clock.advance(3000);
    const taint = (name: string, effect: string) => {
      const body = { spec: { taints: [{ key: 'maintenance', effect }] } };
      return client.patch(Node, { name }, { type: 'merge', body });
    };
    await taint('node-0', 'NoExecute');
    await taint('node-1', 'NoSchedule');
    await clock.advance(5000);
    assert.deepEqual(await nodesOf(cluster), ['node-1', 'node-2']);
    const { status } = await client.get(DaemonSet, REF);
    assert.deepEqual(
      [status?.desiredNumberScheduled, status?.numberMisscheduled, status?.numberAvailable],
      [1, 1, 1],
    );
  });

  it('changes a pod only when somebody deletes it, if it says so', async () => {
    await using cluster = await startCluster({ nodes: [{ count: 2 }] });
    const { client, clock } = cluster;
    await client.create(DaemonSet, {
      metadata: REF,
      spec: {
        selector: { matchLabels: { app: 'agent' } },
        updateStrategy: { type: 'OnDelete' },
        template: template('agent'),
      },
    });
    await clock.advance(3000);
    const containers = [{ name: 'main', image: 'app:2' }];
    const body = { spec: { template: { spec: { containers } } } };
    await client.patch(DaemonSet, REF, { type: 'strategic', body });
    await clock.advance(10_000);
    const images = async () =>
      (await cluster.pods()).map(({ spec }) => spec.containers[0]?.image).toSorted();
    assert.deepEqual(await images(), ['app:1', 'app:1']);
    const [{ metadata: { name = '' } = {} } = {}] = await cluster.pods();
    await client.delete(Pod, { namespace: 'default', name });
    await clock.advance(10_000);
    assert.deepEqual(await images(), ['app:1', 'app:2']);
  });

  it('has one pod on each node, however often its member is restarted', async () => {
    await using cluster = await startCluster({ nodes: [{ count: 3 }] });
    await cluster.client.create(DaemonSet, {
      metadata: REF,
      spec: { selector: { matchLabels: { app: 'agent' } }, template: template('agent') },
    });
    for (let round = 0; round < 4; round++) {
      await cluster.clock.advance(400);
      await cluster.restartMember();
    }
    await cluster.clock.advance(5000);
    assert.deepEqual(await nodesOf(cluster), ['node-0', 'node-1', 'node-2']);
  });
});
