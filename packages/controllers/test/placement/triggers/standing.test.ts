import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { formatTime } from '@perigee/schema/values/time';
import { addReadyCluster } from '../../support/bindings.ts';
import {
  addTrigger,
  addWork,
  setRoom,
  sharesOf,
  startTriggers,
  triggerOf,
} from '../../support/triggers.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

type Plane = Awaited<ReturnType<typeof startTriggers>>;

const setReadyNow = async ({ client, clock }: Plane, name: string, status: 'True' | 'False') => {
  const lastTransitionTime = formatTime(clock.now());
  const reason = status === 'True' ? 'ClusterReady' : 'ClusterNotReachable';
  const condition = { type: 'Ready', status, reason, message: '', lastTransitionTime };
  const body = { status: { conditions: [condition] } };
  await client.patch(MemberCluster, { name }, { type: 'merge', body }, { subresource: 'status' });
};

const runsOf = async ({ client }: Plane, name: string): Promise<readonly string[]> => {
  const { status } = await triggerOf(client, name);
  return (status?.standing?.recentRuns ?? []).map(({ startTime, cause, clusters = [] }) =>
    [startTime.slice(11, 16), cause, ...clusters].join(' '),
  );
};

describe('a standing trigger', () => {
  it('runs by its schedule, again and again, and is kept', async () => {
    await using plane = await startTriggers();
    const { client, clock } = plane;
    await setRoom(client, 'm2', '0');
    await addWork(client, 'web');
    await clock.advance(1000);
    await setRoom(client, 'm2', '100');
    await addTrigger(client, 'hourly', {
      targetSelectors: [{ namespaces: ['default'] }],
      schedule: '*/10 * * * *',
      autoCleanAfterMinutes: 1,
      quietHours: [{ from: '00:25', to: '00:45' }],
    });
    await clock.advance(9 * MINUTE_MS);
    assert.equal(await sharesOf(client, 'web'), 'm1:4');
    const { status } = await triggerOf(client, 'hourly');
    assert.equal(status?.standing?.nextRunTime, '2026-01-01T00:10:00Z');
    assert.equal(status.conditions?.[0]?.message, 'The next run is at 2026-01-01T00:10:00Z.');
    await clock.advance(MINUTE_MS);
    assert.equal(await sharesOf(client, 'web'), 'm1:2 m2:2');
    await addReadyCluster(client, 'm3');
    await clock.advance(10 * MINUTE_MS);
    assert.equal(await sharesOf(client, 'web'), 'm1:2 m2:1 m3:1');
    await clock.advance(30 * MINUTE_MS);
    assert.deepEqual(await runsOf(plane, 'hourly'), [
      '00:10 Schedule',
      '00:20 Schedule',
      '00:45 Schedule',
      '00:50 Schedule',
    ]);
    assert.equal((await triggerOf(client, 'hourly')).status?.phase, 'Success');
  });

  it('brings work back to a cluster that stays ready, and not to one that comes and goes', async () => {
    await using plane = await startTriggers();
    const { client, clock } = plane;
    await setReadyNow(plane, 'm2', 'False');
    await setRoom(client, 'm2', '0');
    await addWork(client, 'web');
    const placement = { clusterAffinity: { clusterNames: ['m1'] } };
    await addWork(client, 'fixed', { spec: { placement } });
    await addTrigger(client, 'failback', {
      targetSelectors: [{ namespaces: ['default'] }],
      onClusters: { stableForSeconds: 60 },
    });
    await clock.advance(MINUTE_MS);
    await setRoom(client, 'm2', '100');
    const flap = async (upSeconds: number) => {
      await setReadyNow(plane, 'm2', 'True');
      await clock.advance(upSeconds * 1000);
      await setReadyNow(plane, 'm2', 'False');
      await clock.advance(MINUTE_MS);
    };
    await flap(30);
    await flap(54);
    assert.deepEqual(await runsOf(plane, 'failback'), []);
    // The third return of the day: it has to stay four times as long.
    await flap(90);
    assert.deepEqual(await runsOf(plane, 'failback'), []);
    assert.equal(await sharesOf(client, 'web'), 'm1:4');
    await setReadyNow(plane, 'm2', 'True');
    await clock.advance(474_000);
    assert.equal(await sharesOf(client, 'web'), 'm1:4');
    await clock.advance(12_000);
    assert.equal(await sharesOf(client, 'web'), 'm1:2 m2:2');
    const [run = ''] = await runsOf(plane, 'failback');
    assert.match(run, /ClusterReturned m2$/);
    const fixed = { namespace: 'default', name: 'fixed-deployment' };
    const { spec } = await client.get(ResourceBinding, fixed);
    assert.equal(spec.rescheduleTriggeredAt, undefined);
    const { status } = await triggerOf(client, 'failback');
    assert.partialDeepStrictEqual(status?.counts, { total: 1, scheduled: 1 });
    await clock.advance(20 * MINUTE_MS);
    assert.equal((await runsOf(plane, 'failback')).length, 1);
    // A new cluster.
    await addReadyCluster(client, 'm3');
    await setReadyNow(plane, 'm3', 'True');
    await clock.advance(62_000);
    assert.match((await runsOf(plane, 'failback')).at(-1) ?? '', /ClusterJoined m3$/);
    assert.equal(await sharesOf(client, 'web'), 'm1:2 m2:1 m3:1');
  });

  it('keeps to its budget', async () => {
    await using plane = await startTriggers();
    const { client, clock } = plane;
    for (const name of ['a', 'b', 'c']) await addWork(client, name);
    await clock.advance(1000);
    await addTrigger(client, 'often', {
      targetSelectors: [{}],
      schedule: '@every 10m',
      budget: { maxRunsPerDay: 3, maxTargetsPerRun: 2 },
    });
    await clock.advance(HOUR_MS);
    assert.equal((await runsOf(plane, 'often')).length, 3);
    const { status } = await triggerOf(client, 'often');
    assert.partialDeepStrictEqual(status?.counts, { total: 3, noChange: 2, skipped: 1 });
    assert.equal(status?.standing?.nextRunTime, '2026-01-02T00:10:01Z');
  });

  it('does not wait for ever for work that no scheduler decides about, which any tenant may have', async () => {
    await using plane = await startTriggers();
    const { client, clock } = plane;
    await addWork(client, 'stuck', { spec: { schedulerName: 'nobody' } });
    const left = await addWork(client, 'left');
    const labels = { 'propagationpolicy.karmada.io/permanent-id': null };
    const body = { metadata: { labels } };
    await client.patch(ResourceBinding, left.metadata, { type: 'merge', body });
    await addWork(client, 'web');
    await clock.advance(1000);
    await addTrigger(client, 'often', { targetSelectors: [{}], schedule: '@every 10m' });
    await clock.advance(18 * MINUTE_MS);
    const { status } = await triggerOf(client, 'often');
    assert.equal((await runsOf(plane, 'often')).length, 1);
    assert.partialDeepStrictEqual(status?.counts, { total: 3, noChange: 1, failed: 2 });
    assert.deepEqual(
      status?.failedResourceList?.map(({ name, failReason }) => [name, failReason]),
      [
        ['left', 'NotScheduled: its policy is gone, and no other places it'],
        ['stuck', 'NotScheduled: the scheduler nobody has not decided for 300 s'],
      ],
    );
    await clock.advance(HOUR_MS);
    assert.ok((await runsOf(plane, 'often')).length > 4);
  });
});
