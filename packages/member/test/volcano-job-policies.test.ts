import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Job, type JobWritten } from '@perigee/api/kinds/groups/job';
import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { Pod } from '@perigee/kubernetes/core/pod';
import { startCluster, type TestCluster, template } from './member-fixture.ts';

const NAMESPACE = 'default';
const REF = { namespace: NAMESPACE, name: 'train' };
const LONG = { 'member.perigee.io/run-for': '1h' };
const FAILS_SOON = { 'member.perigee.io/exit-code': '3', 'member.perigee.io/run-for': '3s' };

type Spec = JobWritten['spec'];
type Task = Spec['tasks'][number];

const task = (
  name: string,
  replicas: number,
  annotations: { readonly [key: string]: string } = LONG,
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

const create = ({ client }: TestCluster, spec: Spec): Promise<Job> =>
  client.create(Job, { metadata: REF, spec });

const getJob = ({ client }: TestCluster): Promise<Job> => client.get(Job, REF);

const untilPhase = (cluster: TestCluster, phase: string): Promise<void> =>
  cluster.until(async () => (await getJob(cluster)).status?.state?.phase === phase, 120);

/** The uids of the pods that there are, by their names. */
const uidsOf = async (cluster: TestCluster): Promise<{ readonly [name: string]: string }> =>
  Object.fromEntries((await cluster.pods()).map(({ metadata }) => [metadata.name, metadata.uid]));

/** The names of pods that are others than before. */
const replacedSince = async (cluster: TestCluster, before: { readonly [name: string]: string }) =>
  Object.entries(await uidsOf(cluster)).flatMap(([name, uid]) =>
    before[name] === uid ? [] : [name],
  );

const untilRetried = (cluster: TestCluster, times: number): Promise<void> =>
  cluster.until(async () => ((await getJob(cluster)).status?.retryCount ?? 0) >= times, 120);

describe('a policy of a job', () => {
  it('restarts the partition of the pod that failed, and no other', async () => {
    await using cluster = await startCluster();
    await create(cluster, {
      tasks: [
        task('a', 4, LONG, {
          partitionPolicy: { totalPartitions: 2, partitionSize: 2 },
          policies: [{ event: 'PodEvicted', action: 'RestartPartition' }],
        }),
      ],
    });
    await untilPhase(cluster, 'Running');
    const labels = (await cluster.pods()).map(
      ({ metadata }) => metadata.labels?.['volcano.sh/partition-id'],
    );
    assert.deepEqual(labels, ['0', '0', '1', '1']);
    const before = await uidsOf(cluster);
    await cluster.client.delete(Pod, { namespace: NAMESPACE, name: 'train-a-3' });
    await untilRetried(cluster, 1);
    await cluster.until(async () => (await replacedSince(cluster, before)).length >= 2, 60);
    await untilPhase(cluster, 'Running');
    assert.deepEqual(await replacedSince(cluster, before), ['train-a-2', 'train-a-3']);
  });

  it('restarts the pod alone', async () => {
    await using cluster = await startCluster();
    await create(cluster, {
      tasks: [task('a', 3)],
      policies: [{ event: 'PodEvicted', action: 'RestartPod' }],
    });
    await untilPhase(cluster, 'Running');
    const before = await uidsOf(cluster);
    await cluster.client.delete(Pod, { namespace: NAMESPACE, name: 'train-a-1' });
    await untilRetried(cluster, 1);
    await untilPhase(cluster, 'Running');
    assert.deepEqual(await replacedSince(cluster, before), ['train-a-1']);
    // A deletion by the job itself is no eviction, or it would never end.
    await cluster.clock.advance(60_000);
    assert.equal((await getJob(cluster)).status?.retryCount, 1);
  });

  it('waits for its time, and is off when the pod runs before', async () => {
    await using cluster = await startCluster();
    const policies = [{ event: 'PodPending', action: 'AbortJob', timeout: '30s' }] as const;
    const slow = { ...LONG, 'member.perigee.io/start-delay': '10s' };
    await create(cluster, { tasks: [task('a', 1, slow)], policies });
    await untilPhase(cluster, 'Running');
    await cluster.clock.advance(60_000);
    assert.equal((await getJob(cluster)).status?.state?.phase, 'Running');
    await cluster.client.delete(Job, REF);
    await cluster.until(async () => (await cluster.pods()).length === 0, 60);
    const stuck = { ...LONG, 'member.perigee.io/start-delay': '1h' };
    const start = cluster.clock.now();
    await create(cluster, { tasks: [task('a', 1, stuck)], policies });
    await untilPhase(cluster, 'Aborted');
    const seconds = (cluster.clock.now() - start) / 1000;
    assert.ok(seconds >= 30 && seconds < 60, `after ${seconds} s`);
  });

  it('of a task comes before that of the job', async () => {
    await using cluster = await startCluster();
    await create(cluster, {
      tasks: [
        task('a', 1, FAILS_SOON, { policies: [{ event: '*', action: 'TerminateJob' }] }),
        task('b', 1),
      ],
      policies: [{ event: 'PodFailed', action: 'RestartJob' }],
    });
    await untilPhase(cluster, 'Terminated');
    assert.equal((await getJob(cluster)).status?.retryCount ?? 0, 0);
  });
});

describe('a job of Volcano', () => {
  it('gives its volumes to every container of its pods', async () => {
    await using cluster = await startCluster();
    const volumes = [
      { mountPath: '/data', volumeClaimName: 'sales' },
      { mountPath: '/models', volumeClaimName: 'models' },
    ];
    const two = task('a', 1);
    const containers = ['one', 'two'].map((name) => ({ name, image: 'i' }));
    const spec = { ...two.template.spec, containers, volumes: [{ name: 'own', emptyDir: {} }] };
    await create(cluster, {
      tasks: [{ ...two, template: { spec } as unknown as Task['template'] }],
      volumes,
    });
    await cluster.until(async () => (await cluster.pods()).length === 1, 30);
    const [pod] = await cluster.pods();
    const mounts = ['/data', '/models'];
    assert.deepEqual(
      pod?.spec.containers.map((one) =>
        (one.volumeMounts ?? []).map((mount) => (mount as { mountPath: string }).mountPath),
      ),
      [mounts, mounts],
    );
    const claims = (pod?.spec.volumes ?? []).map(
      (volume) =>
        (volume as { persistentVolumeClaim?: { claimName: string } }).persistentVolumeClaim
          ?.claimName,
    );
    assert.deepEqual(claims, [undefined, 'sales', 'models']);
  });

  it('starts a task when any one of those is ready that it depends on', async () => {
    await using cluster = await startCluster();
    const late = { ...LONG, 'member.perigee.io/ready-delay': '1h' };
    await create(cluster, {
      minAvailable: 1,
      tasks: [
        task('early', 1),
        task('late', 1, late),
        task('any', 1, LONG, { dependsOn: { name: ['early', 'late'], iteration: 'any' } }),
        task('all', 1, LONG, { dependsOn: { name: ['early', 'late'] } }),
      ],
    });
    await cluster.clock.advance(20_000);
    assert.deepEqual(Object.keys(await uidsOf(cluster)).toSorted(), [
      'train-any-0',
      'train-early-0',
      'train-late-0',
    ]);
  });

  it('has as many pods as it is scaled to', async () => {
    await using cluster = await startCluster();
    await create(cluster, { minAvailable: 1, tasks: [task('a', 3, LONG, { minAvailable: 1 })] });
    await untilPhase(cluster, 'Running');
    const before = await uidsOf(cluster);
    for (const size of [1, 2]) {
      const job = await getJob(cluster);
      const tasks = job.spec.tasks.map((one) => ({ ...one, replicas: size }));
      await cluster.client.update(Job, { ...job, spec: { ...job.spec, tasks } });
      await cluster.until(async () => (await cluster.pods()).length === size, 60);
    }
    assert.deepEqual(await replacedSince(cluster, before), ['train-a-1']);
    assert.equal((await getJob(cluster)).status?.state?.phase, 'Running');
  });

  it('goes with its group and its pods when it has been over for as long as it may', async () => {
    await using cluster = await startCluster();
    const job = await create(cluster, { tasks: [task('a', 1, {})], ttlSecondsAfterFinished: 60 });
    await untilPhase(cluster, 'Completed');
    const group = { namespace: NAMESPACE, name: `train-${job.metadata.uid}` };
    await cluster.clock.advance(50_000);
    assert.equal(await getOrUndefined(cluster.client, PodGroup, group), undefined);
    assert.equal((await getJob(cluster)).status?.succeeded, 1);
    await cluster.clock.advance(15_000);
    assert.equal(await getOrUndefined(cluster.client, Job, REF), undefined);
    await cluster.until(async () => (await cluster.pods()).length === 0, 60);
    assert.deepEqual(cluster.problems, []);
  });

  it('goes on with what it did when the member starts anew in the middle of a restart', async () => {
    await using cluster = await startCluster();
    await create(cluster, {
      tasks: [task('a', 2, FAILS_SOON), task('b', 1)],
      maxRetry: 2,
      policies: [{ event: 'PodFailed', action: 'RestartJob' }],
    });
    for (const retries of [1, 2]) {
      await untilRetried(cluster, retries);
      await cluster.restartMember();
    }
    await untilPhase(cluster, 'Failed');
    assert.equal((await getJob(cluster)).status?.retryCount, 2);
  });
});
