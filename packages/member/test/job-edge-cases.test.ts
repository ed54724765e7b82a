import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Job, type JobWritten } from '@perigee/kubernetes/batch/job';
import { Pod } from '@perigee/kubernetes/core/pod';
import { startCluster, type TestCluster, template } from './member-fixture.ts';

const REF = { namespace: 'default', name: 'work' };
const LONG = { 'member.perigee.io/run-for': '1h' };
const FAILS = { 'member.perigee.io/exit-code': '3' };

const create = (
  { client }: TestCluster,
  spec: Partial<JobWritten['spec']> = {},
  annotations: { readonly [key: string]: string } = {},
) => {
  const pod = { ...template('work').spec, restartPolicy: 'Never' as const };
  const jobSpec = { template: { metadata: { annotations }, spec: pod }, ...spec };
  return client.create(Job, { metadata: REF, spec: jobSpec });
};

const isInState = async ({ client }: TestCluster, type: string): Promise<boolean> =>
  ((await client.get(Job, REF)).status?.conditions ?? []).some(
    (condition) => condition.type === type && condition.status === 'True',
  );

const someActive = async (cluster: TestCluster) =>
  (await cluster.pods()).filter(({ status }) => status?.phase === 'Running');

describe('a job', () => {
  it('that is deleted while it runs takes its pods with it, in spite of their finalizers', async () => {
    await using cluster = await startCluster();
    await create(cluster, { parallelism: 3, completions: 3 }, LONG);
    await cluster.clock.advance(5000);
    assert.equal((await someActive(cluster)).length, 3);
    await cluster.client.delete(Job, REF, { propagationPolicy: 'Background' });
    await cluster.until(async () => (await cluster.pods()).length === 0, 60);
    assert.deepEqual(cluster.problems, []);
  });

  it('that is deleted while its member is stopped leaves no pods behind', async () => {
    await using cluster = await startCluster();
    await create(cluster, { parallelism: 2, completions: 2 }, LONG);
    await cluster.clock.advance(5000);
    await cluster.client.delete(Job, REF, { propagationPolicy: 'Background' });
    await cluster.restartMember();
    await cluster.until(async () => (await cluster.pods()).length === 0, 60);
  });

  it('does not count failures that its policy ignores, by exit code and by condition', async () => {
    await using cluster = await startCluster();
    const { client, clock } = cluster;
    const rules = [
      {
        action: 'Ignore' as const,
        onExitCodes: { containerName: 'main', operator: 'NotIn' as const, values: [1, 2] },
      },
      {
        action: 'FailJob' as const,
        onPodConditions: [{ type: 'DisruptionTarget', status: 'True' as const }],
      },
    ];
    await create(cluster, { backoffLimit: 0, podFailurePolicy: { rules } }, FAILS);
    await cluster.until(async () => (await cluster.pods()).length === 3, 120);
    assert.equal((await client.get(Job, REF)).status?.failed ?? 0, 0);
    const pod = (await cluster.pods()).find(({ status }) => status?.phase !== 'Failed');
    assert.ok(pod);
    const conditions = [
      ...(pod.status?.conditions ?? []),
      { type: 'DisruptionTarget', status: 'True' as const },
    ];
    const status = { ...pod.status, phase: 'Failed' as const, conditions, containerStatuses: [] };
    await client.update(Pod, { ...pod, status }, { subresource: 'status' });
    await cluster.until(() => isInState(cluster, 'Failed'), 60);
    const failure = (await client.get(Job, REF)).status?.conditions?.at(-1);
    assert.equal(failure?.reason, 'PodFailurePolicy');
    assert.match(failure?.message ?? '', /has condition DisruptionTarget .* index 1/);
    await clock.advance(5000);
    assert.deepEqual(await someActive(cluster), []);
  });

  it('replaces a deleted pod only when that has ended, if it says so', async () => {
    await using cluster = await startCluster();
    const annotations = { ...LONG, 'member.perigee.io/stop-delay': '10s' };
    await create(cluster, { podReplacementPolicy: 'Failed' }, annotations);
    await cluster.clock.advance(5000);
    const [{ metadata: { name = '' } = {} } = {}] = await cluster.pods();
    await cluster.client.delete(Pod, { namespace: 'default', name });
    await cluster.clock.advance(8000);
    const [only, ...others] = await cluster.pods();
    assert.deepEqual([only?.metadata.name, others], [name, []]);
    assert.equal((await cluster.client.get(Job, REF)).status?.terminating, 1);
    const isReplaced = async () =>
      (await someActive(cluster)).some(({ metadata }) => metadata.name !== name);
    await cluster.until(isReplaced, 60);
    assert.equal((await cluster.pods()).length, 1);
  });

  it('without completions is complete when one pod succeeds and the others have ended', async () => {
    await using cluster = await startCluster();
    await create(cluster, { parallelism: 3 });
    await cluster.until(() => isInState(cluster, 'Complete'), 60);
    const { status } = await cluster.client.get(Job, REF);
    assert.equal(status?.succeeded, 3);
    assert.equal((await cluster.pods()).length, 3);
  });

  it('follows its parallelism', async () => {
    await using cluster = await startCluster();
    await create(cluster, { parallelism: 1, completions: 9 }, LONG);
    for (const parallelism of [4, 2]) {
      const body = { spec: { parallelism } };
      await cluster.client.patch(Job, REF, { type: 'merge', body });
      await cluster.clock.advance(10_000);
      assert.equal((await someActive(cluster)).length, parallelism);
    }
  });

  it('of another controller is left alone', async () => {
    await using cluster = await startCluster();
    await create(cluster, { managedBy: 'example.com/kueue' });
    await cluster.clock.advance(10_000);
    assert.deepEqual(await cluster.pods(), []);
    assert.equal((await cluster.client.get(Job, REF)).status?.startTime, undefined);
  });
});
