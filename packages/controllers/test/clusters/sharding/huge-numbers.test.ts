import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { findCondition } from '@perigee/api/values/conditions';
import type { Client } from '@perigee/kube/client/client';
import { ApiError } from '@perigee/kube/errors';
import { Event } from '@perigee/kubernetes/core/event';
import { addRecord, startShardedPlane } from '../../support/schedulers.ts';

const HUGE = 9_007_199_254_740_993n;
const LARGEST = 9_223_372_036_854_775_807n;

/** As a request over HTTP has them: bigints where a number could not hold them. */
const addHuge = (client: Client, name: string, spec: object) =>
  addRecord(client, name, { city: 'Bellevue', ...spec });

describe('records with numbers of 64 bits', () => {
  it('stop nobody from getting a home, and are summed up exactly', async () => {
    await using plane = await startShardedPlane();
    const { client, pass, addScheduler, homes } = plane;
    await addScheduler('one');
    await pass();
    await addHuge(client, 'huge', {
      cpuCapacity: HUGE,
      memCapacity: HUGE,
      eipCapacity: HUGE,
      serverPrice: HUGE,
      flavors: [{ flavorID: 'small', totalCapacity: HUGE }],
      storage: [{ typeID: 'ssd', storageCapacity: HUGE }],
    });
    await addRecord(client, 'plain', { city: 'Bellevue', cpu: 8, eipCapacity: 2 });
    await pass();
    assert.deepEqual(await homes(), { huge: 'one', plain: 'one' });
    const { status } = await client.get(Scheduler, { name: 'one' });
    const { union } = status ?? {};
    assert.equal(union?.cpuCapacity, HUGE + 8n);
    assert.equal(union?.eipCapacity, HUGE + 2n);
    assert.equal(union?.highestServerPrice, HUGE);
    assert.equal(union?.flavors?.[0]?.totalCapacity, HUGE);
    assert.equal(union?.storage?.[0]?.storageCapacity, HUGE);
    assert.equal(union?.geoLocations?.[0]?.largest?.cpuCapacity, HUGE);
    assert.equal(findCondition(status?.conditions, 'UnionExact'), undefined);
    const record = await client.get(ClusterRecord, { name: 'huge' });
    assert.equal(record.spec.cpuCapacity, HUGE);
  });

  it('that are too many together are capped, and a condition names them until they are gone', async () => {
    await using plane = await startShardedPlane();
    const { client, pass, addScheduler, homes } = plane;
    await addScheduler('one');
    await pass();
    await addHuge(client, 'first', { cpuCapacity: LARGEST });
    await addHuge(client, 'second', { cpuCapacity: LARGEST });
    await addRecord(client, 'third', { city: 'Boston' });
    await pass();
    assert.deepEqual(await homes(), { first: 'one', second: 'one', third: 'one' });
    const exact = async () => {
      const { status } = await client.get(Scheduler, { name: 'one' });
      return { union: status?.union, condition: findCondition(status?.conditions, 'UnionExact') };
    };
    const { union, condition } = await exact();
    assert.equal(union?.cpuCapacity, LARGEST);
    assert.deepEqual([condition?.status, condition?.reason], ['False', 'SumTooLarge']);
    assert.match(condition?.message ?? '', /geoLocations\[0\]\.cpuCapacity.*, cpuCapacity/);
    await client.delete(ClusterRecord, { name: 'first' });
    await client.delete(ClusterRecord, { name: 'second' });
    await pass();
    assert.equal((await exact()).condition?.status, 'True');
  });

  it('in what a cluster says of itself count as well', async () => {
    await using plane = await startShardedPlane();
    const { client, pass, addScheduler, homes } = plane;
    await addScheduler('one');
    await addRecord(client, 'vast', { cpuCapacity: undefined });
    const body = { status: { capacity: { cpu: String(LARGEST), memory: '1e30' } } };
    await client.patch(
      ClusterRecord,
      { name: 'vast' },
      { type: 'merge', body },
      { subresource: 'status' },
    );
    await pass();
    assert.deepEqual(await homes(), { vast: 'one' });
  });
});

describe('a scheduler whose record cannot be written', () => {
  it('holds up nobody else, and an event says why', async () => {
    const refusing = (client: Client): Client =>
      new Proxy(client, {
        get: (target, verb) => {
          const method = Reflect.get(target, verb);
          if (verb !== 'patch') return typeof method === 'function' ? method.bind(target) : method;
          const patch: Client['patch'] = (kind, ref, change, options) => {
            const { status = {} } = (change as { body: { status?: object } }).body;
            if (kind.plural === 'schedulers' && ref.name === 'bad' && 'union' in status) {
              const message = 'the union is not liked';
              return Promise.reject(new ApiError({ code: 422, reason: 'Invalid', message }));
            }
            return target.patch(kind, ref, change, options);
          };
          return patch;
        },
      });
    await using plane = await startShardedPlane({ reach: refusing, isQuiet: true });
    const { client, pass, addScheduler, homes } = plane;
    await addScheduler('bad');
    await addScheduler('good');
    await pass();
    for (let at = 0; at < 8; at += 1) await addRecord(client, `c${at}`, { city: `city${at}` });
    await pass(20_000);
    const found = Object.values(await homes());
    assert.ok(found.filter((home) => home === 'good').length >= 3, found.join());
    assert.ok(!found.includes('bad'));
    const { items } = await client.list(Event);
    const told = items.find(({ reason }) => reason === 'AssignmentRefused');
    assert.match(told?.message ?? '', /the union is not liked/);
  });
});
