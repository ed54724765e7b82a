import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { isNotFound } from '@perigee/kube/errors';
import { Lease } from '@perigee/kubernetes/coordination/lease';
import { leaseOf } from '../../../src/clusters/scheduler-lifecycle/scheduler-lease.ts';
import { addRecord, addWork, startShardedPlane, workOf } from '../../support/schedulers.ts';

type Plane = Awaited<ReturnType<typeof startShardedPlane>>;

/** Kills a scheduler: its lease stays as it was and runs out. */
const crash = async ({ client, schedulers }: Plane, name: string): Promise<void> => {
  const { spec } = await client.get(Lease, leaseOf(name));
  await schedulers.crash(name, async () => {
    await client.patch(Lease, leaseOf(name), { type: 'merge', body: { spec } });
  });
};

const isGone = ({ client }: Plane, name: string): Promise<boolean> =>
  client.get(Scheduler, { name }).then(() => false, isNotFound);

describe('the life of a scheduler', () => {
  it('begins with its process, and is active once that holds its lease', async () => {
    await using plane = await startShardedPlane();
    await plane.addScheduler('one');
    await plane.settled();
    await plane.pass();
    assert.equal(await plane.phaseOf('one'), 'Active');
    const { status, metadata } = await plane.client.get(Scheduler, { name: 'one' });
    assert.equal(status?.leaseName, 'perigee-scheduler-one');
    assert.deepEqual(metadata.finalizers, ['globalscheduler.com/drain']);
  });

  it('ends with its clusters and its work in other hands, then its process, then the object', async () => {
    await using plane = await startShardedPlane();
    const { client, pass, schedulers } = plane;
    for (const name of ['one', 'two']) await plane.addScheduler(name);
    await pass();
    for (let at = 0; at < 4; at += 1) await addRecord(client, `c${at}`, { city: `city${at}` });
    await pass();
    await addWork(client, 'web', { placement: { clusterAffinity: { clusterNames: ['c0'] } } });
    await pass();
    const home = (await plane.homes()).c0 ?? '';
    assert.equal((await workOf(client, 'web')).scheduler, home);
    await plane.deleteScheduler(home);
    await pass(10_000);
    assert.ok(await isGone(plane, home));
    assert.deepEqual(schedulers.ended, [home]);
    const other = home === 'one' ? 'two' : 'one';
    assert.deepEqual([...new Set(Object.values(await plane.homes()))], [other]);
    const work = await workOf(client, 'web');
    assert.equal(work.scheduler, other);
    assert.deepEqual(work.clusters, ['c0']);
  });

  it('goes also when it was the last: the one that is built in takes over', async () => {
    await using plane = await startShardedPlane();
    const { client, pass } = plane;
    await plane.addScheduler('one');
    await addRecord(client, 'c0');
    await pass();
    await addWork(client, 'web');
    await pass();
    assert.equal((await workOf(client, 'web')).scheduler, 'one');
    await plane.deleteScheduler('one');
    await pass(10_000);
    assert.ok(await isGone(plane, 'one'));
    assert.deepEqual(await plane.homes(), { c0: '' });
    await addWork(client, 'later');
    await pass();
    for (const name of ['web', 'later']) {
      const work = await workOf(client, name);
      assert.deepEqual([work.scheduler, work.isScheduled], ['default-scheduler', true]);
    }
  });

  it('survives a crash: others do its work at once, and it keeps its clusters for a while', async () => {
    await using plane = await startShardedPlane();
    const { client, pass } = plane;
    for (const name of ['one', 'two']) await plane.addScheduler(name);
    await pass();
    for (let at = 0; at < 4; at += 1) await addRecord(client, `c${at}`, { city: `city${at}` });
    await pass();
    const homes = await plane.homes();
    await crash(plane, 'one');
    await pass(30_000);
    assert.equal(await plane.phaseOf('one'), 'Unavailable');
    assert.deepEqual(await plane.homes(), homes);
    const own = Object.keys(homes).find((name) => homes[name] === 'one') ?? '';
    await addWork(client, 'web', { placement: { clusterAffinity: { clusterNames: [own] } } });
    await pass();
    const work = await workOf(client, 'web');
    assert.deepEqual(work, { scheduler: 'two', clusters: [own], isScheduled: true });
    plane.schedulers.revive('one');
    await pass(30_000);
    assert.equal(await plane.phaseOf('one'), 'Active');
    assert.deepEqual(await plane.homes(), homes);
  });

  it('loses its clusters when it stays away, and takes its share again when it returns', async () => {
    await using plane = await startShardedPlane();
    const { client, pass } = plane;
    for (const name of ['one', 'two']) await plane.addScheduler(name);
    await pass();
    for (let at = 0; at < 4; at += 1) await addRecord(client, `c${at}`, { city: `city${at}` });
    await pass();
    await crash(plane, 'one');
    await pass(400_000);
    assert.equal((await plane.desiredOf('two')).length, 4);
    assert.deepEqual(await plane.desiredOf('one'), []);
    assert.equal((await plane.inUseOf('two')).length, 4);
    plane.schedulers.revive('one');
    await pass(30_000);
    assert.equal((await plane.desiredOf('one')).length, 2);
    assert.deepEqual(await plane.inUseOf('one'), await plane.desiredOf('one'));
  });
});
