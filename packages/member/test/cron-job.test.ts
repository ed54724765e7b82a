import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CronJob, type CronJobSpec } from '@perigee/kubernetes/batch/cron-job';
import { Job } from '@perigee/kubernetes/batch/job';
import { startCluster, type TestCluster, template } from './member-fixture.ts';

const REF = { namespace: 'default', name: 'tick' };

const create = (
  { client }: TestCluster,
  spec: Partial<CronJobSpec>,
  annotations: { readonly [key: string]: string } = {},
) =>
  client.create(CronJob, {
    metadata: REF,
    spec: {
      schedule: '* * * * *',
      jobTemplate: {
        spec: {
          template: {
            metadata: { annotations },
            spec: { ...template('x').spec, restartPolicy: 'Never' },
          },
        },
      },
      ...spec,
    },
  });

const jobsOf = async ({ client }: TestCluster): Promise<readonly string[]> =>
  (await client.list(Job, { namespace: 'default' })).items.map(({ metadata }) => metadata.name);

const LONG = { 'member.perigee.io/run-for': '1h' };

describe('a cron job', () => {
  it('makes a job for each time, and keeps the last ones', async () => {
    await using cluster = await startCluster();
    await create(cluster, { successfulJobsHistoryLimit: 2 });
    await cluster.clock.advance(5 * 60_000 + 30_000);
    const minute = Date.UTC(2026, 0, 1) / 60_000;
    assert.deepEqual(await jobsOf(cluster), [`tick-${minute + 4}`, `tick-${minute + 5}`]);
    const { status } = await cluster.client.get(CronJob, REF);
    assert.equal(status?.lastScheduleTime, '2026-01-01T00:05:00Z');
    assert.equal(status?.active, undefined);
    assert.ok((status?.lastSuccessfulTime ?? '') > '2026-01-01T00:05:00Z');
  });

  it('starts no second job when it must not, or ends the first', async () => {
    await using forbidding = await startCluster();
    await create(forbidding, { concurrencyPolicy: 'Forbid' }, LONG);
    await forbidding.clock.advance(3 * 60_000);
    assert.equal((await jobsOf(forbidding)).length, 1);
    await using replacing = await startCluster();
    await create(replacing, { concurrencyPolicy: 'Replace' }, LONG);
    await replacing.clock.advance(3 * 60_000 + 20_000);
    const minute = Date.UTC(2026, 0, 1) / 60_000;
    assert.deepEqual(await jobsOf(replacing), [`tick-${minute + 3}`]);
  });

  it('leaves out what was missed while it was suspended, except the last', async () => {
    await using cluster = await startCluster();
    await create(cluster, { suspend: true });
    await cluster.clock.advance(10 * 60_000);
    assert.deepEqual(await jobsOf(cluster), []);
    const goOn = { type: 'merge', body: { spec: { suspend: false } } } as const;
    await cluster.client.patch(CronJob, REF, goOn);
    await cluster.clock.advance(1000);
    assert.equal((await jobsOf(cluster)).length, 1);
  });

  it('has jobs go that are over, when they say for how long to keep them', async () => {
    await using cluster = await startCluster();
    await cluster.client.create(Job, {
      metadata: REF,
      spec: {
        ttlSecondsAfterFinished: 30,
        template: { spec: { ...template('x').spec, restartPolicy: 'Never' } },
      },
    });
    await cluster.clock.advance(20_000);
    assert.equal((await jobsOf(cluster)).length, 1);
    await cluster.clock.advance(30_000);
    assert.equal((await jobsOf(cluster)).length, 0);
    assert.equal((await cluster.pods()).length, 0);
  });

  it('goes by the clock of its time zone', async () => {
    await using cluster = await startCluster();
    await create(cluster, { schedule: '35 5 * * *', timeZone: 'Asia/Kolkata' });
    await cluster.clock.advance(4 * 60_000);
    assert.deepEqual(await jobsOf(cluster), []);
    await cluster.clock.advance(2 * 60_000);
    const { status } = await cluster.client.get(CronJob, REF);
    assert.equal(status?.lastScheduleTime, '2026-01-01T00:05:00Z');
  });

  it('does not start late by more than its deadline', async () => {
    await using cluster = await startCluster();
    await create(cluster, { schedule: '*/5 * * * *', startingDeadlineSeconds: 60, suspend: true });
    await cluster.clock.advance(5 * 60_000 + 90_000);
    const goOn = { type: 'merge', body: { spec: { suspend: false } } } as const;
    await cluster.client.patch(CronJob, REF, goOn);
    await cluster.clock.advance(10_000);
    assert.deepEqual(await jobsOf(cluster), []);
    await cluster.clock.advance(5 * 60_000);
    assert.equal((await jobsOf(cluster)).length, 1);
  });

  it('makes one job for each time, however often its member is restarted', async () => {
    await using cluster = await startCluster();
    await create(cluster, { successfulJobsHistoryLimit: 10 });
    for (let round = 0; round < 6; round++) {
      await cluster.clock.advance(30_000);
      await cluster.restartMember();
    }
    await cluster.clock.advance(1000);
    const minute = Date.UTC(2026, 0, 1) / 60_000;
    assert.deepEqual(
      await jobsOf(cluster),
      [1, 2, 3].map((passed) => `tick-${minute + passed}`),
    );
  });

  it('keeps the failed jobs apart from those that succeeded, and none if it says so', async () => {
    await using cluster = await startCluster();
    await create(
      cluster,
      { failedJobsHistoryLimit: 2, successfulJobsHistoryLimit: 0 },
      { 'member.perigee.io/fail': 'image-pull' },
    );
    const late = { spec: { jobTemplate: { spec: { activeDeadlineSeconds: 10 } } } };
    await cluster.client.patch(CronJob, REF, { type: 'merge', body: late });
    await cluster.clock.advance(4 * 60_000 + 30_000);
    assert.equal((await jobsOf(cluster)).length, 2);
    const { status } = await cluster.client.get(CronJob, REF);
    assert.equal(status?.lastSuccessfulTime, undefined);
  });
});
