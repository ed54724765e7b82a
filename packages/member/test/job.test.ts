import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Job, type JobWritten } from '@perigee/kubernetes/batch/job';
import { Pod } from '@perigee/kubernetes/core/pod';
import { startCluster, type TestCluster, template } from './member-fixture.ts';

const REF = { namespace: 'default', name: 'work' };

const job = (
  spec: Partial<JobWritten['spec']> = {},
  annotations: { readonly [key: string]: string } = {},
): JobWritten => ({
  metadata: REF,
  spec: {
    template: {
      metadata: { annotations },
      spec: { ...template('work').spec, restartPolicy: 'Never' },
    },
    ...spec,
  },
});

const conditionsOf = ({ status }: Job): readonly string[] =>
  (status?.conditions ?? []).map(({ type, status: is, reason }) => `${type}=${is} ${reason}`);

const untilConditions = async (cluster: TestCluster, type: string, seconds = 600): Promise<Job> => {
  const get = () => cluster.client.get(Job, REF);
  const isSo = async () =>
    ((await get()).status?.conditions ?? []).some(
      (condition) => condition.type === type && condition.status === 'True',
    );
  await cluster.until(isSo, seconds);
  return get();
};

const FAILS = { 'member.perigee.io/exit-code': '3' };

describe('a job', () => {
  it('is complete when enough pods have succeeded', async () => {
    await using cluster = await startCluster();
    await cluster.client.create(Job, job({ completions: 5, parallelism: 2 }));
    let most = 0;
    await cluster.until(async () => {
      const done = await cluster.client.get(Job, REF);
      const running = (await cluster.pods()).filter(
        ({ status }) => status?.phase === 'Pending' || status?.phase === 'Running',
      );
      most = Math.max(most, running.length);
      return conditionsOf(done).some((condition) => condition.startsWith('Complete'));
    }, 60);
    assert.equal(most, 2);
    const done = await cluster.client.get(Job, REF);
    assert.deepEqual(conditionsOf(done), [
      'SuccessCriteriaMet=True CompletionsReached',
      'Complete=True CompletionsReached',
    ]);
    const { status = {} } = done;
    assert.deepEqual(
      { ...status, conditions: undefined, startTime: undefined, completionTime: undefined },
      {
        succeeded: 5,
        terminating: 0,
        ready: 0,
        uncountedTerminatedPods: {},
        conditions: undefined,
        startTime: undefined,
        completionTime: undefined,
      },
    );
    assert.ok(status.startTime !== undefined && status.completionTime !== undefined);
    const pods = await cluster.pods();
    assert.equal(pods.length, 5);
    assert.ok(pods.every(({ metadata }) => metadata.finalizers === undefined));
    assert.deepEqual(cluster.problems, []);
  });

  it('fails when more pods failed than it puts up with, later each time', async () => {
    await using cluster = await startCluster();
    await cluster.client.create(Job, job({ backoffLimit: 2 }, FAILS));
    const done = await untilConditions(cluster, 'Failed', 120);
    assert.deepEqual(conditionsOf(done), [
      'FailureTarget=True BackoffLimitExceeded',
      'Failed=True BackoffLimitExceeded',
    ]);
    assert.equal(done.status?.failed, 3);
    const created = (await cluster.pods())
      .map(({ metadata }) => Date.parse(metadata.creationTimestamp))
      .toSorted();
    const gaps = created.slice(1).map((at, index) => at - (created[index] ?? 0));
    assert.ok((gaps[0] ?? 0) >= 10_000 && (gaps[1] ?? 0) >= 20_000, `${gaps}`);
  });

  it('has restarts of containers count as failures when pods are not replaced', async () => {
    await using cluster = await startCluster();
    const { spec } = job({ backoffLimit: 1 }, FAILS);
    const inPlace = {
      ...spec.template,
      spec: { ...spec.template.spec, restartPolicy: 'OnFailure' },
    };
    await cluster.client.create(Job, { metadata: REF, spec: { ...spec, template: inPlace } });
    const done = await untilConditions(cluster, 'Failed', 120);
    assert.deepEqual(conditionsOf(done).at(-1), 'Failed=True BackoffLimitExceeded');
  });

  it('gives each pod an index, and another pod the index of one that failed', async () => {
    await using cluster = await startCluster();
    await cluster.client.create(
      Job,
      job({ completions: 4, parallelism: 4, completionMode: 'Indexed' }),
    );
    await cluster.clock.advance(2500);
    const [first] = (await cluster.pods()).filter(
      ({ metadata }) => metadata.annotations?.['batch.kubernetes.io/job-completion-index'] === '2',
    );
    await cluster.client.delete(Pod, { namespace: 'default', name: first?.metadata.name ?? '' });
    const done = await untilConditions(cluster, 'Complete', 120);
    assert.equal(done.status?.completedIndexes, '0-3');
    assert.equal(done.status?.succeeded, 4);
    assert.equal(done.status?.failed, 1);
  });

  it('fails when it takes too long, and its pods end', async () => {
    await using cluster = await startCluster();
    const long = { 'member.perigee.io/run-for': '1h' };
    await cluster.client.create(Job, job({ activeDeadlineSeconds: 30, parallelism: 3 }, long));
    const done = await untilConditions(cluster, 'Failed', 120);
    assert.deepEqual(conditionsOf(done).at(-1), 'Failed=True DeadlineExceeded');
    await cluster.until(async () => (await cluster.pods()).length === 0, 60);
  });

  it('ends its pods while it is suspended, and starts others when it goes on', async () => {
    await using cluster = await startCluster();
    const { client } = cluster;
    await client.create(Job, job({ suspend: true }));
    await cluster.clock.advance(5000);
    assert.equal((await cluster.pods()).length, 0);
    assert.deepEqual(conditionsOf(await client.get(Job, REF)), ['Suspended=True JobSuspended']);
    await client.patch(Job, REF, { type: 'merge', body: { spec: { suspend: false } } });
    await cluster.clock.advance(2500);
    await client.patch(Job, REF, { type: 'merge', body: { spec: { suspend: true } } });
    await cluster.until(async () => (await cluster.pods()).length === 0, 60);
    await client.patch(Job, REF, { type: 'merge', body: { spec: { suspend: false } } });
    const done = await untilConditions(cluster, 'Complete', 120);
    assert.equal(done.status?.succeeded, 1);
  });

  it('fails at once, or not at all, by its policy for failed pods', async () => {
    await using cluster = await startCluster();
    const rule = (action: 'FailJob' | 'Ignore') => ({
      rules: [{ action, onExitCodes: { operator: 'In' as const, values: [3] } }],
    });
    await cluster.client.create(Job, job({ podFailurePolicy: rule('FailJob') }, FAILS));
    const done = await untilConditions(cluster, 'Failed', 60);
    assert.deepEqual(conditionsOf(done), [
      'FailureTarget=True PodFailurePolicy',
      'Failed=True PodFailurePolicy',
    ]);
    assert.equal(done.status?.failed, 1);
  });

  it('is complete by its policy for success before all indexes are done', async () => {
    await using cluster = await startCluster();
    const spec = {
      completions: 3,
      parallelism: 1,
      completionMode: 'Indexed' as const,
      successPolicy: { rules: [{ succeededIndexes: '0' }] },
    };
    await cluster.client.create(Job, job(spec));
    const done = await untilConditions(cluster, 'Complete', 120);
    assert.deepEqual(conditionsOf(done), [
      'SuccessCriteriaMet=True SuccessPolicy',
      'Complete=True SuccessPolicy',
    ]);
    assert.equal(done.status?.completedIndexes, '0');
  });
});
