import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Job, type JobWritten } from '@perigee/api/kinds/groups/job';
import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import { Pod } from '@perigee/kubernetes/core/pod';
import { startCluster, type TestCluster, template } from './member-fixture.ts';

const REF = { namespace: 'default', name: 'train' };

type Task = JobWritten['spec']['tasks'][number];

const task = (
  name: string,
  replicas: number,
  annotations: { readonly [key: string]: string } = {},
  more: Partial<Task> = {},
): Task => ({
  name,
  replicas,
  template: {
    metadata: { annotations },
    spec: { ...template('x').spec, restartPolicy: 'Never' },
  } as Task['template'],
  ...more,
});

const create = ({ client }: TestCluster, spec: JobWritten['spec']): Promise<Job> =>
  client.create(Job, { metadata: REF, spec });

const phasesOf = ({ status }: Job): readonly string[] =>
  (status?.conditions ?? []).map(({ status: phase }) => phase);

const untilPhase = async (cluster: TestCluster, phase: string, seconds = 120): Promise<Job> => {
  const get = () => cluster.client.get(Job, REF);
  await cluster.until(async () => (await get()).status?.state?.phase === phase, seconds);
  return get();
};

const FAILS = { 'member.perigee.io/exit-code': '3' };
const LONG = { 'member.perigee.io/run-for': '1h' };

describe('a job of Volcano', () => {
  it('runs its tasks in a group and is completed', async () => {
    await using cluster = await startCluster();
    const { client } = cluster;
    const job = await create(cluster, { tasks: [task('ps', 1), task('worker', 2)] });
    await untilPhase(cluster, 'Running');
    const pods = await cluster.pods('volcano.sh/job-name=train');
    assert.deepEqual(
      pods.map(({ metadata }) => metadata.name),
      ['train-ps-0', 'train-worker-0', 'train-worker-1'],
    );
    const name = `train-${job.metadata.uid}`;
    const worker = pods.at(-1)?.metadata.annotations ?? {};
    assert.deepEqual(
      [
        worker['volcano.sh/task-spec'],
        worker['volcano.sh/task-index'],
        worker['volcano.sh/job-version'],
        worker['scheduling.k8s.io/group-name'],
      ],
      ['worker', '1', '0', name],
    );
    const { spec, status } = await client.get(PodGroup, { namespace: 'default', name });
    assert.deepEqual([spec.minMember, spec.minTaskMember], [3, { ps: 1, worker: 2 }]);
    assert.deepEqual([status?.phase, status?.running], ['Running', 3]);
    const done = await untilPhase(cluster, 'Completed');
    assert.deepEqual(phasesOf(done), ['Pending', 'Running', 'Completed']);
    assert.deepEqual([done.status?.succeeded, done.status?.failed ?? 0], [3, 0]);
    assert.deepEqual(done.status?.taskStatusCount, {
      ps: { phase: { Succeeded: 1 } },
      worker: { phase: { Succeeded: 2 } },
    });
    assert.deepEqual(cluster.problems, []);
  });

  it('is restarted as often as it may be when a pod fails, and then has failed', async () => {
    await using cluster = await startCluster();
    await create(cluster, {
      tasks: [task('a', 1, FAILS), task('b', 1, LONG)],
      maxRetry: 2,
      policies: [{ event: 'PodFailed', action: 'RestartJob' }],
    });
    const done = await untilPhase(cluster, 'Failed');
    assert.deepEqual(phasesOf(done), [
      'Pending',
      'Running',
      'Restarting',
      'Pending',
      'Running',
      'Restarting',
      'Failed',
    ]);
    assert.equal(done.status?.retryCount, 2);
    await cluster.until(
      async () => (await cluster.pods()).every(({ status }) => status?.phase === 'Failed'),
      30,
    );
  });

  it('is completed when the task is that a policy names, and the others end', async () => {
    await using cluster = await startCluster();
    await create(cluster, {
      tasks: [
        task('master', 1, {}, { policies: [{ event: 'TaskCompleted', action: 'CompleteJob' }] }),
        task('worker', 2, LONG),
      ],
    });
    const done = await untilPhase(cluster, 'Completed');
    assert.deepEqual(phasesOf(done), ['Pending', 'Running', 'Completing', 'Completed']);
    assert.deepEqual(
      (await cluster.pods()).map(({ metadata }) => metadata.name),
      ['train-master-0'],
    );
  });

  it('starts a task when those are ready that it depends on', async () => {
    await using cluster = await startCluster();
    await create(cluster, {
      minAvailable: 1,
      tasks: [
        task('first', 1, { 'member.perigee.io/ready-delay': '10s', ...LONG }),
        task('second', 1, LONG, { dependsOn: { name: ['first'] } }),
      ],
    });
    await cluster.clock.advance(8000);
    assert.deepEqual(
      (await cluster.pods()).map(({ metadata }) => metadata.name),
      ['train-first-0'],
    );
    await cluster.clock.advance(8000);
    assert.equal((await cluster.pods()).length, 2);
  });

  it('restarts only the task when its policy says so', async () => {
    await using cluster = await startCluster();
    await create(cluster, {
      tasks: [
        task(
          'a',
          1,
          { ...FAILS, 'member.perigee.io/run-for': '3s' },
          {
            policies: [{ event: 'PodFailed', action: 'RestartTask' }],
          },
        ),
        task('b', 1, LONG),
      ],
      maxRetry: 3,
    });
    await untilPhase(cluster, 'Running');
    const before = (await cluster.client.get(Pod, { namespace: 'default', name: 'train-b-0' }))
      .metadata.uid;
    await cluster.until(async () => {
      const job = await cluster.client.get(Job, REF);
      return (job.status?.retryCount ?? 0) >= 2;
    }, 60);
    const after = (await cluster.client.get(Pod, { namespace: 'default', name: 'train-b-0' }))
      .metadata.uid;
    assert.equal(after, before);
  });

  it('is aborted by the exit code that a policy names', async () => {
    await using cluster = await startCluster();
    await create(cluster, {
      tasks: [task('a', 1, FAILS), task('b', 1, LONG)],
      policies: [{ exitCode: 3, action: 'AbortJob' }],
    });
    const done = await untilPhase(cluster, 'Aborted');
    assert.deepEqual(phasesOf(done), ['Pending', 'Running', 'Aborting', 'Aborted']);
  });

  it('waits when its group does not fit', async () => {
    await using cluster = await startCluster({ nodes: [{ count: 2, cpu: 2 }] });
    const wide = task('a', 3);
    const container = { name: 'main', image: 'i', resources: { requests: { cpu: '2' } } };
    const spec = { ...wide.template.spec, containers: [container] };
    await create(cluster, { tasks: [{ ...wide, template: { spec } as Task['template'] }] });
    await cluster.clock.advance(20_000);
    const pods = await cluster.pods();
    assert.equal(pods.length, 3);
    assert.ok(pods.every((pod) => pod.spec.nodeName === undefined));
    assert.equal((await cluster.client.get(Job, REF)).status?.state?.phase, 'Pending');
  });
});
