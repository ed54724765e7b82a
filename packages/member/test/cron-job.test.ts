import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CronJob, type CronJobSpec } from '@perigee/kubernetes/batch/cron-job';
import { Job } from '@perigee/kubernetes/batch/job';
import { parseCron } from '../src/cron-job/cron-schedule.ts';
import { nextTime } from '../src/cron-job/next-time.ts';
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

const TIMES: readonly (readonly [string, string, string, string?])[] = [
  ['*/15 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:15:00Z'],
  ['30 4 1,15 * 5', '2026-01-01T05:00:00Z', '2026-01-02T04:30:00Z'],
  ['0 0 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00Z'],
  ['0 9-17/4 * * mon-fri', '2026-01-02T13:30:00Z', '2026-01-02T17:00:00Z'],
  ['@weekly', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z'],
  ['0 12 * * 7', '2026-01-01T00:00:00Z', '2026-01-04T12:00:00Z'],
  ['30 9 * * *', '2026-01-01T00:00:00Z', '2026-01-01T08:30:00Z', 'Europe/Berlin'],
  // The clocks skip this time on the 29th.
  ['30 2 * * *', '2026-03-28T12:00:00Z', '2026-03-30T00:30:00Z', 'Europe/Berlin'],
];

describe('a schedule', () => {
  for (const [text, after, expected, zone] of TIMES) {
    it(`${text} ${zone ?? ''} comes next after ${after} at ${expected}`, () => {
      const next = nextTime(parseCron(text), Date.parse(after), zone);
      assert.equal(new Date(next ?? 0).toISOString().replace('.000', ''), expected);
    });
  }

  for (const text of ['* * * *', '60 * * * *', '*/0 * * * *', '5-1 * * * *', 'x * * * *']) {
    it(`cannot be "${text}"`, () => assert.throws(() => parseCron(text), RangeError));
  }

  it('may never come', () => {
    assert.equal(nextTime(parseCron('0 0 31 2 *'), 0), undefined);
  });
});

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
});
