import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { PersistentVolume } from '@perigee/kubernetes/core/persistent-volume';
import {
  PersistentVolumeClaim,
  type PersistentVolumeClaimWritten,
} from '@perigee/kubernetes/core/persistent-volume-claim';
import { Pod } from '@perigee/kubernetes/core/pod';
import { StorageClass } from '@perigee/kubernetes/storage/storage-class';
import { startCluster, type TestCluster } from './member-fixture.ts';

const ref = (name: string) => ({ namespace: 'default', name });

const claim = (
  name: string,
  spec: PersistentVolumeClaimWritten['spec'] = {},
): PersistentVolumeClaimWritten & { readonly metadata: { readonly name: string } } => ({
  metadata: ref(name),
  spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } }, ...spec },
});

describe('a claim in a virtual member', () => {
  let cluster: TestCluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster[Symbol.asyncDispose]());

  const phaseOf = async (name: string) =>
    (await getOrUndefined(cluster.client, PersistentVolumeClaim, ref(name)))?.status?.phase;
  const volumeOf = async (name: string) => {
    const { spec } = await cluster.client.get(PersistentVolumeClaim, ref(name));
    return cluster.client.get(PersistentVolume, { name: spec?.volumeName ?? '' });
  };
  const bound = async (name: string, spec?: PersistentVolumeClaimWritten['spec']) => {
    await cluster.client.create(PersistentVolumeClaim, claim(name, spec));
    await cluster.until(async () => (await phaseOf(name)) === 'Bound');
    await cluster.clock.advance(1000);
    return volumeOf(name);
  };
  const remove = async (name: string) => {
    await cluster.client.delete(PersistentVolumeClaim, ref(name));
    await cluster.clock.advance(5000);
  };
  const find = (name: string) => getOrUndefined(cluster.client, PersistentVolume, { name });

  it('gets a volume of its own, which goes with it', async () => {
    const { metadata, spec, status } = await bound('plain');
    assert.equal(status?.phase, 'Bound');
    assert.equal(spec?.claimRef?.name, 'plain');
    assert.equal(spec?.persistentVolumeReclaimPolicy, 'Delete');
    assert.deepEqual(spec?.capacity, { storage: '1Gi' });
    await remove('plain');
    assert.equal(await phaseOf('plain'), undefined);
    assert.equal(await find(metadata.name), undefined);
  });

  it('leaves its volume behind if its class says Retain, for a claim that names it', async () => {
    await cluster.client.create(StorageClass, {
      metadata: { name: 'kept' },
      provisioner: 'volumes.member.perigee.io',
      reclaimPolicy: 'Retain',
    });
    const { metadata } = await bound('first', { storageClassName: 'kept' });
    const volumeName = metadata.name;
    await remove('first');
    assert.equal((await find(volumeName))?.status?.phase, 'Released');
    // Nobody gets the files of another claim by its name, or by that of its volume.
    const mine = { storageClassName: 'kept', volumeName };
    await cluster.client.create(PersistentVolumeClaim, claim('first', mine));
    await cluster.client.create(PersistentVolumeClaim, claim('thief', mine));
    await cluster.clock.advance(10_000);
    assert.equal(await phaseOf('first'), 'Pending');
    assert.equal(await phaseOf('thief'), 'Pending');
    await remove('thief');
    const body = { spec: { claimRef: null } };
    await cluster.client.patch(PersistentVolume, { name: volumeName }, { type: 'merge', body });
    await cluster.clock.advance(5000);
    assert.equal(await phaseOf('first'), 'Bound');
    assert.equal((await find(volumeName))?.status?.phase, 'Bound');
    await cluster.client.delete(PersistentVolume, { name: volumeName });
    await cluster.clock.advance(5000);
    assert.equal((await find(volumeName))?.status?.phase, 'Bound', 'kept while it is in use');
    await remove('first');
    assert.equal(await find(volumeName), undefined);
  });

  it('stays while a pod uses it', async () => {
    const { metadata } = await bound('busy');
    await cluster.client.create(Pod, {
      metadata: ref('user'),
      spec: {
        containers: [{ name: 'main', image: 'app' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'busy' } }],
        terminationGracePeriodSeconds: 1,
      },
    });
    await cluster.until(async () => (await cluster.pods())[0]?.status?.phase === 'Running');
    await remove('busy');
    assert.equal(await phaseOf('busy'), 'Bound');
    assert.notEqual(await find(metadata.name), undefined);
    await cluster.client.delete(Pod, ref('user'));
    await cluster.until(async () => (await phaseOf('busy')) === undefined);
    await cluster.until(async () => (await find(metadata.name)) === undefined);
  });

  it('writes nothing more once all is as it should be', async () => {
    await bound('quiet');
    const version = async () =>
      (await cluster.client.list(PersistentVolume)).items.map((it) => it.metadata.resourceVersion);
    const seen = await version();
    await cluster.restartMember();
    await cluster.clock.advance(60_000);
    assert.deepEqual(await version(), seen);
    assert.deepEqual(cluster.problems, []);
  });
});
