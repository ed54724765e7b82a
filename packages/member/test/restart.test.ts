import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Job } from '@perigee/kubernetes/batch/job';
import { Pod } from '@perigee/kubernetes/core/pod';
import { isActive } from '../src/pods/pod-state.ts';
import { startCluster, template } from './member-fixture.ts';

const REF = { namespace: 'default', name: 'web' };

describe('a member', () => {
  it('goes on in the middle of a rollout and of a job when it is started again', async () => {
    await using cluster = await startCluster();
    const { client, clock } = cluster;
    await client.create(Deployment, {
      metadata: REF,
      spec: {
        replicas: 6,
        selector: { matchLabels: { app: 'web' } },
        template: template('web'),
      },
    });
    await client.create(Job, {
      metadata: { namespace: 'default', name: 'work' },
      spec: {
        completions: 6,
        parallelism: 2,
        template: { spec: { ...template('work').spec, restartPolicy: 'Never' } },
      },
    });
    await clock.advance(4000);
    const image = [{ name: 'main', image: 'app:2' }];
    const body = { spec: { template: { spec: { containers: image } } } };
    await client.patch(Deployment, REF, { type: 'strategic', body });
    for (let round = 0; round < 8; round++) {
      await clock.advance(700);
      await cluster.restartMember();
    }
    await cluster.until(async () => {
      const { status } = await client.get(Deployment, REF);
      const job = await client.get(Job, { namespace: 'default', name: 'work' });
      return status?.updatedReplicas === 6 && status.replicas === 6 && job.status?.succeeded === 6;
    }, 120);
    await clock.advance(5000);
    const web = (await cluster.pods('app=web')).filter(isActive);
    assert.equal(web.length, 6);
    assert.ok(web.every(({ spec }) => spec.containers[0]?.image === 'app:2'));
    assert.equal((await cluster.pods('job-name=work')).length, 6);
  });

  it('has the same history with the same seed', async () => {
    const historyOf = async (seed: number): Promise<readonly string[]> => {
      await using cluster = await startCluster({ seed });
      const { client, clock } = cluster;
      await client.create(Deployment, {
        metadata: REF,
        spec: {
          replicas: 4,
          selector: { matchLabels: { app: 'web' } },
          template: template('web', {}, { 'member.perigee.io/fail': 'crash-loop' }),
        },
      });
      await clock.advance(30_000);
      await client.patch(Deployment, REF, { type: 'merge', body: { spec: { replicas: 2 } } });
      await clock.advance(30_000);
      const { items } = await client.list(Pod, { namespace: 'default' });
      return items.map((pod) => JSON.stringify(pod));
    };
    const first = await historyOf(7);
    assert.ok(first.length > 0);
    assert.deepEqual(await historyOf(7), first);
    assert.notDeepEqual(await historyOf(8), first);
  });
});
