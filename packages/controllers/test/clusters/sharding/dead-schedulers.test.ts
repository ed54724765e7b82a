import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { findCondition } from '@perigee/api/values/conditions';
import { SupervisedSchedulers } from '@perigee/controllers/clusters/scheduler-lifecycle/supervised-schedulers';
import { createLogger } from '@perigee/kube/observe/logger';
import { Lease } from '@perigee/kubernetes/coordination/lease';
import { Event } from '@perigee/kubernetes/core/event';
import { leaseOf } from '../../../src/clusters/scheduler-lifecycle/scheduler-lease.ts';
import { startControlPlane } from '../../support/control-plane.ts';
import { addRecord, startShardedPlane } from '../../support/schedulers.ts';
import { shardingControllers } from '../../support/sharding-controllers.ts';

type Plane = Awaited<ReturnType<typeof startShardedPlane>>;

/** Kills a scheduler: its lease stays as it was and runs out. */
const crash = async ({ client, schedulers }: Plane, name: string): Promise<void> => {
  const { spec } = await client.get(Lease, leaseOf(name));
  await schedulers.crash(name, async () => {
    await client.patch(Lease, leaseOf(name), { type: 'merge', body: { spec } });
  });
};

const homeCondition = async ({ client }: Pick<Plane, 'client'>, name: string) => {
  const { status } = await client.get(ClusterRecord, { name });
  const { status: holds, reason } = findCondition(status?.conditions, 'HomeScheduler') ?? {};
  return `${holds} ${reason}`;
};

describe('a scheduler that is dead', () => {
  for (const wish of [undefined, 'one']) {
    it(`gets no new clusters${wish ? ', also not those that wish for it' : ''}`, async () => {
      await using plane = await startShardedPlane();
      const { client, pass, addScheduler, desiredOf, phaseOf } = plane;
      await addScheduler('one');
      await addScheduler('two');
      await pass();
      for (let at = 0; at < 4; at += 1) await addRecord(client, `c${at}`, { city: `city${at}` });
      await pass();
      const before = await desiredOf('one');
      assert.equal(before.length, 2);
      await crash(plane, 'one');
      await pass(30_000);
      assert.equal(await phaseOf('one'), 'Unavailable');
      for (let at = 0; at < 6; at += 1) {
        await addRecord(client, `new${at}`, { city: `city${at}`, homeScheduler: wish });
      }
      await pass(10_000);
      assert.deepEqual(await desiredOf('one'), before, 'it keeps what it had for a while');
      const homes = await plane.homes();
      for (let at = 0; at < 6; at += 1) assert.equal(homes[`new${at}`], 'two');
      if (wish) assert.equal(await homeCondition(plane, 'new0'), 'False SchedulerNotActive');
    });
  }
});

describe('a crash loop', () => {
  it('shows in the status of the scheduler and in events, and it is not active meanwhile', async () => {
    const logger = createLogger({ clock: { now: () => 0 } as never, write: () => {} });
    await using plane = await startControlPlane({
      controllers: ({ clock }) => {
        const launch = async () => {
          throw new Error('the scheduler one ended with 7');
        };
        const processes = new SupervisedSchedulers({ launch, clock, logger });
        return shardingControllers({ processes });
      },
    });
    const { client, clock } = plane;
    await client.create(Scheduler, { metadata: { name: 'one' }, spec: {} });
    await clock.advance(4_000);
    const { status } = await client.get(Scheduler, { name: 'one' });
    assert.equal(status?.phase, 'Pending');
    assert.equal(status?.restarts, 3);
    assert.equal(status?.lastExit?.reason, 'the scheduler one ended with 7');
    const next = Date.parse(status?.lastExit?.nextStartTime ?? '');
    assert.equal(
      next - Date.parse(status?.lastExit?.time ?? ''),
      4_000,
      'it waits longer each time',
    );
    const { reason, message } = findCondition(status?.conditions, 'Available') ?? {};
    assert.equal(reason, 'CrashLoop');
    assert.match(message ?? '', /ended 3 times: the scheduler one ended with 7/);
    const { items } = await client.list(Event);
    const told = items.filter((event) => event.reason === 'SchedulerCrashed');
    assert.ok(told.length >= 1);
    assert.match(told[0]?.message ?? '', /the scheduler one ended with 7 \(\d in a row\)/);
  });
});

describe('a home that was asked for', () => {
  it('is given, or the record says why not', async () => {
    await using plane = await startShardedPlane();
    const { client, pass, addScheduler } = plane;
    await addScheduler('one');
    await addScheduler('two');
    await pass();
    await addRecord(client, 'early', { city: 'Bellevue', cpu: 1 });
    await addRecord(client, 'big', { city: 'Boston', cpu: 100 });
    await addRecord(client, 'also', { city: 'Berlin', cpu: 100 });
    await pass();
    const homes = await plane.homes();
    const [full = '', other = ''] = [homes.big, homes.also];
    assert.notEqual(full, other);
    await addRecord(client, 'granted', { cpu: 1, homeScheduler: full });
    await addRecord(client, 'nowhere', { cpu: 1, homeScheduler: 'nobody' });
    await pass();
    assert.equal(await homeCondition(plane, 'granted'), 'True HomeAsWished');
    assert.equal(await homeCondition(plane, 'nowhere'), 'False NoSuchScheduler');
    assert.equal(await homeCondition(plane, 'early'), 'undefined undefined');
  });
});

describe('a scheduler whose process is seen to end', () => {
  it('is unavailable at once, and until somebody renews its lease', async () => {
    const logger = createLogger({ clock: { now: () => 0 } as never, write: () => {} });
    let end: (error: Error) => void = () => {};
    await using plane = await startControlPlane({
      controllers: ({ clock }) => {
        const launch = () => {
          const { promise, reject } = Promise.withResolvers<void>();
          end = reject;
          return promise;
        };
        return shardingControllers({
          processes: new SupervisedSchedulers({ launch, clock, logger }),
        });
      },
    });
    const { client, clock } = plane;
    const renew = (spec: object) => {
      const renewTime = new Date(clock.now()).toISOString().replace('Z', '000Z');
      return { spec: { holderIdentity: 'p', leaseDurationSeconds: 15, renewTime, ...spec } };
    };
    const phase = async () => (await client.get(Scheduler, { name: 'one' })).status?.phase;
    await client.create(Scheduler, { metadata: { name: 'one' }, spec: {} });
    await clock.advance(1_000);
    await client.create(Lease, { metadata: leaseOf('one'), ...renew({}) });
    await clock.advance(1_000);
    assert.equal(await phase(), 'Active');
    end(new Error('killed'));
    await clock.advance(500);
    assert.equal(await phase(), 'Unavailable');
    await clock.advance(2_000);
    assert.equal(await phase(), 'Unavailable', 'it was started again, and has no lease yet');
    const patch = { type: 'merge', body: renew({ holderIdentity: 'q' }) } as const;
    await client.patch(Lease, leaseOf('one'), patch);
    await clock.advance(1_000);
    assert.equal(await phase(), 'Active');
  });
});
