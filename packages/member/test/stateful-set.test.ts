import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ControllerRevision } from '@perigee/kubernetes/apps/controller-revision';
import { StatefulSet, type StatefulSetSpec } from '@perigee/kubernetes/apps/stateful-set';
import { PersistentVolumeClaim } from '@perigee/kubernetes/core/persistent-volume-claim';
import type { PodSpec } from '@perigee/kubernetes/core/pod';
import { Pod } from '@perigee/kubernetes/core/pod';
import { isPodReady } from '../src/pods/pod-state.ts';
import { startCluster, type TestCluster, template } from './member-fixture.ts';

const REF = { namespace: 'default', name: 'db' };

const create = (
  { client }: TestCluster,
  spec: Partial<StatefulSetSpec> = {},
  pod: Partial<PodSpec> = {},
) =>
  client.create(StatefulSet, {
    metadata: REF,
    spec: {
      replicas: 3,
      serviceName: 'db',
      selector: { matchLabels: { app: 'db' } },
      template: template('db', pod),
      ...spec,
    },
  });

const untilReady = async (cluster: TestCluster, replicas: number): Promise<void> => {
  await cluster.until(async () => {
    const { metadata, status } = await cluster.client.get(StatefulSet, REF);
    return (
      status?.observedGeneration === metadata.generation &&
      status?.readyReplicas === replicas &&
      status.replicas === replicas &&
      status.updatedReplicas === replicas
    );
  }, 120);
};

const imagesOf = async (cluster: TestCluster): Promise<readonly (string | undefined)[]> =>
  (await cluster.pods()).map(({ spec }) => spec.containers[0]?.image);

const withImage = (image: string) => ({
  type: 'strategic' as const,
  body: { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } },
});

describe('a stateful set', () => {
  it('starts its pods one after another, each with its claims', async () => {
    await using cluster = await startCluster();
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    await create(cluster, { volumeClaimTemplates: [claim] });
    await cluster.until(async () => {
      const pods = await cluster.pods();
      const unready = pods.filter((pod) => !isPodReady(pod));
      assert.ok(unready.length <= 1, 'two pods start at the same time');
      return pods.length === 3 && unready.length === 0;
    }, 60);
    const pods = await cluster.pods();
    assert.deepEqual(
      pods.map(({ metadata, spec }) => [metadata.name, spec.hostname, spec.subdomain]),
      [0, 1, 2].map((ordinal) => [`db-${ordinal}`, `db-${ordinal}`, 'db']),
    );
    const { items } = await cluster.client.list(PersistentVolumeClaim, { namespace: 'default' });
    assert.deepEqual(
      items.map(({ metadata, status }) => `${metadata.name} ${status?.phase}`),
      ['data-db-0 Bound', 'data-db-1 Bound', 'data-db-2 Bound'],
    );
  });

  it('changes its pods from the last to the first, and those below the partition not', async () => {
    await using cluster = await startCluster();
    await create(cluster, {
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
    });
    await untilReady(cluster, 3);
    await cluster.client.patch(StatefulSet, REF, withImage('app:2'));
    const seen: string[] = [];
    await cluster.until(async () => {
      const text = (await imagesOf(cluster)).join(' ');
      if (seen.at(-1) !== text) seen.push(text);
      const { status } = await cluster.client.get(StatefulSet, REF);
      return status?.updatedReplicas === 2 && status.readyReplicas === 3;
    }, 60);
    assert.deepEqual(await imagesOf(cluster), ['app:1', 'app:2', 'app:2']);
    // The pod below the partition comes back as it was.
    await cluster.client.delete(Pod, { namespace: 'default', name: 'db-0' });
    await cluster.clock.advance(10_000);
    assert.deepEqual(await imagesOf(cluster), ['app:1', 'app:2', 'app:2']);
    const body = { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } };
    await cluster.client.patch(StatefulSet, REF, { type: 'merge', body });
    await untilReady(cluster, 3);
    const { status } = await cluster.client.get(StatefulSet, REF);
    assert.equal(status?.currentRevision, status?.updateRevision);
  });

  it('shrinks from the last, and starts all at once when told', async () => {
    await using cluster = await startCluster();
    await create(cluster, { podManagementPolicy: 'Parallel', replicas: 4 });
    await cluster.clock.advance(100);
    assert.equal((await cluster.pods()).length, 4);
    await untilReady(cluster, 4);
    await cluster.client.patch(StatefulSet, REF, {
      type: 'merge',
      body: { spec: { replicas: 1 } },
    });
    await untilReady(cluster, 1);
    assert.deepEqual(
      (await cluster.pods()).map(({ metadata }) => metadata.name),
      ['db-0'],
    );
  });

  it('makes a revision that it had before the newest again, and forgets the oldest', async () => {
    await using cluster = await startCluster();
    await create(cluster, { replicas: 1, revisionHistoryLimit: 1 });
    await untilReady(cluster, 1);
    for (const image of ['app:2', 'app:3', 'app:2']) {
      await cluster.client.patch(StatefulSet, REF, withImage(image));
      await untilReady(cluster, 1);
      assert.deepEqual(await imagesOf(cluster), [image]);
    }
    const { status } = await cluster.client.get(StatefulSet, REF);
    const { items } = await cluster.client.list(ControllerRevision, { namespace: 'default' });
    const [newest, ...older] = items.toSorted((a, b) => b.revision - a.revision);
    assert.equal(newest?.metadata.name, status?.updateRevision);
    assert.equal(older.length, 1);
  });

  it('starts counting where it says, and changes pods only when somebody deletes them', async () => {
    await using cluster = await startCluster();
    await create(cluster, {
      replicas: 2,
      ordinals: { start: 5 },
      updateStrategy: { type: 'OnDelete' },
    });
    await untilReady(cluster, 2);
    await cluster.client.patch(StatefulSet, REF, withImage('app:2'));
    await cluster.clock.advance(10_000);
    assert.deepEqual(await imagesOf(cluster), ['app:1', 'app:1']);
    await cluster.client.delete(Pod, { namespace: 'default', name: 'db-5' });
    await cluster.clock.advance(10_000);
    assert.deepEqual(
      (await cluster.pods()).map(({ metadata, spec }) => [
        metadata.name,
        spec.containers[0]?.image,
      ]),
      [
        ['db-5', 'app:2'],
        ['db-6', 'app:1'],
      ],
    );
  });

  it('waits for the seconds that a pod must be ready before it starts the next', async () => {
    await using cluster = await startCluster();
    await create(cluster, { replicas: 2, minReadySeconds: 30 });
    await cluster.clock.advance(20_000);
    assert.equal((await cluster.pods()).length, 1);
    await untilReady(cluster, 2);
    const { status } = await cluster.client.get(StatefulSet, REF);
    assert.equal(status?.availableReplicas, 1);
  });

  it('is not held up by an outdated pod that never gets ready', async () => {
    await using cluster = await startCluster();
    const stuck = template('db', {}, { 'member.perigee.io/fail': 'image-pull' });
    await create(cluster, { replicas: 2, template: stuck });
    await cluster.clock.advance(10_000);
    const annotations = { 'member.perigee.io/fail': null };
    const body = { spec: { template: { metadata: { annotations } } } };
    await cluster.client.patch(StatefulSet, REF, { type: 'merge', body });
    await untilReady(cluster, 2);
  });

  it('has each pod once, in order, however often its member is restarted', async () => {
    await using cluster = await startCluster();
    await create(cluster);
    for (let round = 0; round < 8; round++) {
      await cluster.clock.advance(600);
      await cluster.restartMember();
      const pods = await cluster.pods();
      assert.ok(pods.slice(0, -1).every(isPodReady), 'a pod started before its predecessor');
    }
    await untilReady(cluster, 3);
  });
});
