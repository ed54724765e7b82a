import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Deployment, type DeploymentWritten } from '@perigee/kubernetes/apps/deployment';
import { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import { isActive, isPodReady } from '../src/pods/pod-state.ts';
import { startCluster, type TestCluster, template } from './member-fixture.ts';

const REF = { namespace: 'default', name: 'web' };

const deployment = (spec: Partial<DeploymentWritten['spec']> = {}): DeploymentWritten => ({
  metadata: REF,
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: template('web'),
    ...spec,
  },
});

const reasonsOf = async ({ client }: TestCluster): Promise<readonly string[]> => {
  const { status } = await client.get(Deployment, REF);
  return (status?.conditions ?? []).map((it) => `${it.type}=${it.status} ${it.reason}`).toSorted();
};

const isRolledOut = async ({ client }: TestCluster): Promise<boolean> => {
  const { metadata, spec, status } = await client.get(Deployment, REF);
  return (
    status?.observedGeneration === metadata.generation &&
    status?.updatedReplicas === spec.replicas &&
    status?.replicas === spec.replicas &&
    status?.availableReplicas === spec.replicas
  );
};

const withImage = (image: string) => ({
  type: 'strategic' as const,
  body: { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } },
});

describe('a deployment', () => {
  it('becomes pods that are ready', async () => {
    await using cluster = await startCluster();
    await cluster.client.create(Deployment, deployment());
    await cluster.until(() => isRolledOut(cluster), 10);
    const pods = await cluster.pods();
    assert.equal(pods.length, 3);
    assert.ok(pods.every(isPodReady));
    assert.deepEqual(pods.map(({ spec }) => spec.nodeName).toSorted(), [
      'node-0',
      'node-1',
      'node-2',
    ]);
    assert.equal(new Set(pods.map(({ status }) => status?.podIP)).size, 3);
    const { status, metadata } = await cluster.client.get(Deployment, REF);
    assert.deepEqual(
      { ...status, conditions: undefined },
      {
        observedGeneration: 1,
        replicas: 3,
        updatedReplicas: 3,
        readyReplicas: 3,
        availableReplicas: 3,
        terminatingReplicas: 0,
        conditions: undefined,
      },
    );
    assert.equal(metadata.annotations?.['deployment.kubernetes.io/revision'], '1');
    assert.deepEqual(await reasonsOf(cluster), [
      'Available=True MinimumReplicasAvailable',
      'Progressing=True NewReplicaSetAvailable',
    ]);
    assert.deepEqual(cluster.problems, []);
  });

  it('says at once that its pods are there, and waits with what moves after that', async () => {
    await using cluster = await startCluster();
    await cluster.client.create(Deployment, deployment());
    await cluster.clock.advance(100);
    const { status } = await cluster.client.get(Deployment, REF);
    assert.equal(status?.observedGeneration, 1);
    assert.equal(status?.replicas, 3);
  });

  it('rolls back to a revision that it had before, which then is the newest', async () => {
    await using cluster = await startCluster();
    const { client } = cluster;
    await client.create(Deployment, deployment());
    await cluster.until(() => isRolledOut(cluster), 10);
    await client.patch(Deployment, REF, withImage('app:2'));
    await cluster.until(() => isRolledOut(cluster), 30);
    await client.patch(Deployment, REF, withImage('app:1'));
    await cluster.until(() => isRolledOut(cluster), 30);
    const { items } = await client.list(ReplicaSet, { namespace: 'default' });
    const byImage = items
      .map(({ metadata: { annotations }, spec }) => [
        spec.template.spec.containers[0]?.image,
        spec.replicas,
        annotations?.['deployment.kubernetes.io/revision'],
        annotations?.['deployment.kubernetes.io/revision-history'],
      ])
      .toSorted();
    assert.deepEqual(byImage, [
      ['app:1', 3, '3', '1'],
      ['app:2', 0, '2', undefined],
    ]);
  });

  it('ends all old pods before it starts new ones when it recreates', async () => {
    await using cluster = await startCluster();
    const { client } = cluster;
    await client.create(Deployment, deployment({ strategy: { type: 'Recreate' } }));
    await cluster.until(() => isRolledOut(cluster), 10);
    await client.patch(Deployment, REF, withImage('app:2'));
    await cluster.until(async () => {
      const images = new Set((await cluster.pods()).map(({ spec }) => spec.containers[0]?.image));
      assert.ok(images.size <= 1, 'old and new pods at the same time');
      return isRolledOut(cluster);
    }, 30);
  });

  it('waits while it is paused, and follows its size', async () => {
    await using cluster = await startCluster();
    const { client } = cluster;
    await client.create(Deployment, deployment());
    await cluster.until(() => isRolledOut(cluster), 10);
    await client.patch(Deployment, REF, { type: 'merge', body: { spec: { paused: true } } });
    await client.patch(Deployment, REF, withImage('app:2'));
    await client.patch(Deployment, REF, { type: 'merge', body: { spec: { replicas: 5 } } });
    await cluster.clock.advance(20_000);
    const paused = await cluster.pods();
    assert.deepEqual(
      paused.map(({ spec }) => spec.containers[0]?.image),
      Array.from({ length: 5 }, () => 'app:1'),
    );
    assert.ok((await reasonsOf(cluster)).includes('Progressing=Unknown DeploymentPaused'));
    await client.patch(Deployment, REF, { type: 'merge', body: { spec: { paused: false } } });
    await cluster.until(() => isRolledOut(cluster), 60);
    assert.ok(
      (await cluster.pods())
        .filter(isActive)
        .every(({ spec }) => spec.containers[0]?.image === 'app:2'),
    );
  });

  it('says when it makes no progress', async () => {
    await using cluster = await startCluster();
    const stuck = template('web', {}, { 'member.perigee.io/fail': 'image-pull' });
    const spec = { template: stuck, progressDeadlineSeconds: 60 };
    await cluster.client.create(Deployment, deployment(spec));
    await cluster.clock.advance(65_000);
    assert.deepEqual(await reasonsOf(cluster), [
      'Available=False MinimumReplicasUnavailable',
      'Progressing=False ProgressDeadlineExceeded',
    ]);
  });

  it('keeps no more old sets than it should', async () => {
    await using cluster = await startCluster();
    const { client } = cluster;
    await client.create(Deployment, deployment({ revisionHistoryLimit: 1 }));
    for (const tag of [2, 3, 4]) {
      await cluster.until(() => isRolledOut(cluster), 30);
      await client.patch(Deployment, REF, withImage(`app:${tag}`));
    }
    await cluster.until(async () => {
      const { items } = await client.list(ReplicaSet, { namespace: 'default' });
      return (await isRolledOut(cluster)) && items.length === 2;
    }, 60);
  });

  it('gives its replica set another name when that of another has it', async () => {
    await using cluster = await startCluster();
    const { client } = cluster;
    await client.create(Deployment, deployment({ replicas: 1 }));
    await cluster.until(() => isRolledOut(cluster), 60);
    const [first] = (await client.list(ReplicaSet, { namespace: 'default' })).items;
    const taken = { namespace: 'default', name: first?.metadata.name ?? '' };
    await client.delete(Deployment, REF, { propagationPolicy: 'Foreground' });
    const isGone = async () =>
      (await client.list(ReplicaSet, { namespace: 'default' })).items.length === 0;
    await cluster.until(isGone, 60);
    await client.create(ReplicaSet, {
      metadata: taken,
      spec: { replicas: 0, selector: { matchLabels: { app: 'x' } }, template: template('x') },
    });
    await client.create(Deployment, deployment({ replicas: 1 }));
    await cluster.until(() => isRolledOut(cluster), 60);
    assert.equal((await client.get(Deployment, REF)).status?.collisionCount, 1);
    assert.equal((await client.get(ReplicaSet, taken)).spec.replicas, 0);
    assert.equal((await cluster.pods('app=web')).length, 1);
  });
});
