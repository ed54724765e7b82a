import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { addRecord, addWork, startShardedPlane, workOf } from '../../support/schedulers.ts';

const NAMES = ['one', 'two', 'three'];

const startWithThree = async () => {
  const plane = await startShardedPlane();
  for (const name of NAMES) await plane.addScheduler(name);
  await plane.pass();
  for (let at = 0; at < 6; at += 1) await addRecord(plane.client, `c${at}`, { city: `city${at}` });
  await plane.pass();
  return plane;
};

describe('the distributor', () => {
  it('gives work to the home of the clusters that it may use', async () => {
    await using plane = await startWithThree();
    const { client, pass } = plane;
    const homes = await plane.homes();
    for (const cluster of Object.keys(homes)) {
      const placement = { clusterAffinity: { clusterNames: [cluster] } };
      await addWork(client, `on-${cluster}`, { placement });
    }
    await pass();
    for (const [cluster, home] of Object.entries(homes)) {
      const work = await workOf(client, `on-${cluster}`);
      assert.deepEqual(work, { scheduler: home, clusters: [cluster], isScheduled: true });
    }
  });

  it('spreads work that may go anywhere over all schedulers, each deciding on all clusters', async () => {
    await using plane = await startWithThree();
    const { client, pass } = plane;
    const names = Array.from({ length: 30 }, (_, at) => `w${at}`);
    await Promise.all(names.map((name) => addWork(client, name, { replicas: 12 })));
    await pass();
    const works = await Promise.all(names.map((name) => workOf(client, name)));
    assert.deepEqual(
      [...new Set(works.map(({ scheduler }) => scheduler))].sort(),
      NAMES.toSorted(),
    );
    for (const work of works) {
      assert.ok(work.isScheduled);
      assert.equal(work.clusters.length, 6);
    }
  });

  it('leaves work alone whose policy names a scheduler', async () => {
    await using plane = await startWithThree();
    const { client, pass } = plane;
    await addWork(client, 'web', { schedulerName: 'my-own' });
    await pass();
    const work = await workOf(client, 'web');
    assert.deepEqual(work, { scheduler: 'my-own', clusters: [], isScheduled: false });
  });

  it('keeps the scheduler of work that is placed, when others join', async () => {
    await using plane = await startWithThree();
    const { client, pass } = plane;
    await addWork(client, 'web');
    await pass();
    const { scheduler } = await workOf(client, 'web');
    await plane.addScheduler('four');
    await pass();
    assert.equal((await workOf(client, 'web')).scheduler, scheduler);
    const ref = { namespace: 'default', name: 'web-deployment' };
    const { metadata } = await client.get(ResourceBinding, ref);
    await pass(60_000);
    const later = await client.get(ResourceBinding, ref);
    assert.equal(later.metadata.resourceVersion, metadata.resourceVersion);
  });

  it('lets somebody say why work cannot be placed that no cluster fits', async () => {
    await using plane = await startWithThree();
    const { client, pass } = plane;
    const placement = { clusterAffinity: { clusterNames: ['nowhere'] } };
    await addWork(client, 'web', { placement });
    await pass();
    const work = await workOf(client, 'web');
    assert.ok(NAMES.includes(work.scheduler ?? ''));
    assert.equal(work.isScheduled, false);
  });
});
