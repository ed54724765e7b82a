import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { addRecord, startShardedPlane } from '../../support/schedulers.ts';

describe('the assignment of clusters to schedulers', () => {
  it('gives a new cluster a home, and the scheduler what the cluster has', async () => {
    await using plane = await startShardedPlane();
    const { client, pass, addScheduler } = plane;
    await addScheduler('one');
    await pass();
    await addRecord(client, 'c1', {
      city: 'Bellevue',
      flavors: [{ flavorID: 'small', totalCapacity: 5 }],
    });
    await pass();
    const { status } = await client.get(Scheduler, { name: 'one' });
    assert.deepEqual(status?.clusters, { desired: ['c1'], inUse: ['c1'] });
    assert.equal(status?.clusterCount, 1);
    assert.equal(status?.union?.cpuCapacity, 8);
    assert.deepEqual(status?.union?.flavors, [
      { flavorID: 'small', totalCapacity: 5, clusterCount: 1 },
    ]);
    const cluster = await client.get(ClusterRecord, { name: 'c1' });
    assert.equal(cluster.status?.homeScheduler, 'one');
    assert.equal(cluster.status?.bindingEpoch, status?.epoch);
  });

  it('takes away what a cluster had that goes, and leaves what another shares with it', async () => {
    await using plane = await startShardedPlane();
    const { client, pass, addScheduler } = plane;
    await addScheduler('one');
    const small = { flavorID: 'small', totalCapacity: 5 };
    await addRecord(client, 'c1', { city: 'Bellevue', flavors: [small], memCapacity: 64 });
    await addRecord(client, 'c2', { city: 'Bellevue', flavors: [small] });
    await addRecord(client, 'c3', { city: 'Boston' });
    await pass();
    await client.delete(ClusterRecord, { name: 'c1' });
    await client.delete(ClusterRecord, { name: 'c3' });
    await pass();
    const { status } = await client.get(Scheduler, { name: 'one' });
    assert.deepEqual(status?.clusters, { desired: ['c2'], inUse: ['c2'] });
    assert.deepEqual(
      status?.union?.geoLocations?.map(({ city }) => city),
      ['Bellevue'],
    );
    assert.deepEqual(status?.union?.flavors, [{ ...small, clusterCount: 1 }]);
    assert.equal(status?.union?.memCapacity, undefined);
  });

  it('gives a scheduler that becomes ready its share, and tells the others', async () => {
    await using plane = await startShardedPlane();
    const { client, pass, addScheduler, desiredOf, inUseOf } = plane;
    await addScheduler('one');
    for (let at = 0; at < 6; at += 1) await addRecord(client, `c${at}`, { city: `city${at % 2}` });
    await pass();
    assert.equal((await desiredOf('one')).length, 6);
    await addScheduler('two');
    await pass();
    const [one, two] = [await desiredOf('one'), await desiredOf('two')];
    assert.equal(two.length, 3);
    assert.deepEqual([...one, ...two].sort(), ['c0', 'c1', 'c2', 'c3', 'c4', 'c5']);
    assert.deepEqual([await inUseOf('one'), await inUseOf('two')], [one, two]);
    const { status } = await client.get(Scheduler, { name: 'one' });
    assert.equal(status?.union?.geoLocations?.length, 1);
    const homes = await plane.homes();
    for (const name of two) assert.equal(homes[name], 'two');
  });

  it('does not touch schedulers and clusters that a change does not concern', async () => {
    await using plane = await startShardedPlane();
    const { client, pass, addScheduler } = plane;
    for (const name of ['one', 'two', 'three']) await addScheduler(name);
    await pass();
    for (let at = 0; at < 9; at += 1) await addRecord(client, `c${at}`, { city: `city${at % 3}` });
    await pass();
    const before = await plane.homes();
    const versions = async () => {
      const { items } = await client.list(ClusterRecord);
      return new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    };
    const written = await versions();
    await addRecord(client, 'c9', { city: 'city1' });
    await pass();
    const { c9, ...others } = await plane.homes();
    assert.deepEqual(others, before);
    assert.ok(['one', 'two', 'three'].includes(c9 ?? ''));
    for (const [name, version] of written) assert.equal((await versions()).get(name), version);
  });

  it('gives every change a higher epoch', async () => {
    await using plane = await startShardedPlane();
    const { client, pass, addScheduler } = plane;
    await addScheduler('one');
    await addRecord(client, 'c1');
    await addRecord(client, 'c2');
    await pass();
    const first = (await client.get(ClusterRecord, { name: 'c1' })).status?.bindingEpoch ?? 0;
    await addScheduler('two');
    await pass();
    const moved = Object.entries(await plane.homes()).find(([, home]) => home === 'two');
    const { status } = await client.get(ClusterRecord, { name: moved?.[0] ?? '' });
    assert.ok((status?.bindingEpoch ?? 0) > first);
  });

  it('repairs records that somebody changed', async () => {
    await using plane = await startShardedPlane();
    const { client, pass, addScheduler } = plane;
    await addScheduler('one');
    await addRecord(client, 'c1');
    await pass();
    const body = { status: { homeScheduler: 'intruder' } };
    await client.patch(
      ClusterRecord,
      { name: 'c1' },
      { type: 'merge', body },
      { subresource: 'status' },
    );
    await pass();
    assert.deepEqual(await plane.homes(), { c1: 'one' });
  });
});
