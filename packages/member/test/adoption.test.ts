import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { controllerOf } from '@perigee/api/values/owner-references';
import { ReplicaSet } from '@perigee/kubernetes/apps/replica-set';
import { Pod } from '@perigee/kubernetes/core/pod';
import { startCluster, type TestCluster, template } from './member-fixture.ts';

const REF = { namespace: 'default', name: 'web' };

const createSet = ({ client }: TestCluster, replicas: number) =>
  client.create(ReplicaSet, {
    metadata: REF,
    spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: template('web') },
  });

const createOrphan = ({ client }: TestCluster, name: string) =>
  client.create(Pod, {
    metadata: { namespace: 'default', name, labels: { app: 'web' } },
    spec: template('web').spec,
  });

const ownerNames = async (cluster: TestCluster) =>
  (await cluster.pods()).map((pod) => controllerOf(pod)?.name);

describe('a replica set', () => {
  it('adopts pods without a controller, whether they come before or after it', async () => {
    await using cluster = await startCluster();
    await createOrphan(cluster, 'early');
    await createSet(cluster, 2);
    await cluster.clock.advance(5000);
    assert.deepEqual(await ownerNames(cluster), ['web', 'web']);
    await createOrphan(cluster, 'late');
    await cluster.clock.advance(5000);
    assert.deepEqual(await ownerNames(cluster), ['web', 'web']);
    const { status } = await cluster.client.get(ReplicaSet, REF);
    assert.deepEqual([status?.replicas, status?.readyReplicas], [2, 2]);
  });

  it('releases a pod that loses its labels, and replaces it', async () => {
    await using cluster = await startCluster();
    await createSet(cluster, 2);
    await cluster.clock.advance(5000);
    const [{ metadata: { name = '' } = {} } = {}] = await cluster.pods();
    const body = { metadata: { labels: { app: 'debug' } } };
    await cluster.client.patch(Pod, { namespace: 'default', name }, { type: 'merge', body });
    await cluster.clock.advance(5000);
    assert.equal((await cluster.pods('app=web')).length, 2);
    const [released] = await cluster.pods('app=debug');
    assert.deepEqual(released?.metadata.ownerReferences ?? [], []);
    assert.equal(released?.status?.phase, 'Running');
  });

  it('adopts nothing while it is being deleted', async () => {
    await using cluster = await startCluster();
    const set = await createSet(cluster, 1);
    await cluster.clock.advance(5000);
    const held = { metadata: { uid: set.metadata.uid, finalizers: ['example.com/hold'] } };
    await cluster.client.patch(ReplicaSet, REF, { type: 'merge', body: held });
    await cluster.client.delete(ReplicaSet, REF, { propagationPolicy: 'Orphan' });
    await createOrphan(cluster, 'stray');
    await cluster.clock.advance(5000);
    const stray = await cluster.client.get(Pod, { namespace: 'default', name: 'stray' });
    assert.equal(controllerOf(stray), undefined);
  });
});
