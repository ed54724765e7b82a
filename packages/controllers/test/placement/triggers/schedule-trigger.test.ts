import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import type { Client } from '@perigee/kube/client/client';
import { addReadyCluster, eventsOf } from '../../support/bindings.ts';
import {
  addTrigger,
  addWork,
  DEPLOYMENT,
  DIVIDED,
  ended,
  resultsOf,
  setRoom,
  sharesOf,
  startTriggers,
  triggerOf,
} from '../../support/triggers.ts';

const web = { ...DEPLOYMENT, namespace: 'default', name: 'web' };
const ref = { namespace: 'default', name: 'web-deployment' };

const addPolicy = (client: Client, name: string) =>
  client.create(PropagationPolicy, {
    metadata: { namespace: 'default', name },
    spec: { resourceSelectors: [{ ...DEPLOYMENT }] },
  });

/** Work that is all on m1, while m2 has come back meanwhile. */
const start = async (...names: readonly string[]) => {
  const plane = await startTriggers();
  const { client, clock } = plane;
  await setRoom(client, 'm2', '0');
  for (const name of names) await addWork(client, name);
  await clock.advance(2000);
  await setRoom(client, 'm2', '100');
  await clock.advance(2000);
  for (const name of names) assert.equal(await sharesOf(client, name), 'm1:4');
  return plane;
};

describe('a ScheduleTrigger', () => {
  it('has a resource scheduled afresh, and tells what moved', async () => {
    await using plane = await start('web', 'other');
    const { client } = plane;
    await addTrigger(client, 'demo', { targetRefResource: [web] });
    const trigger = await ended(plane, 'demo');
    assert.equal(await sharesOf(client, 'web'), 'm1:2 m2:2');
    assert.equal(await sharesOf(client, 'other'), 'm1:4');
    assert.partialDeepStrictEqual(trigger.status, {
      phase: 'Success',
      observedGeneration: 1,
      counts: { total: 1, scheduled: 1, failed: 0, replicasMoved: 2 },
      targets: [
        {
          ...web,
          result: 'Scheduled',
          before: [{ name: 'm1', replicas: 4 }],
          after: [
            { name: 'm1', replicas: 2 },
            { name: 'm2', replicas: 2 },
          ],
          replicasMoved: 2,
        },
      ],
      conditions: [
        {
          type: 'Complete',
          status: 'True',
          reason: 'Rescheduled',
          message: 'Of 1 resource: 1 moved, 2 replicas.',
        },
      ],
    });
    const { spec, status } = await client.get(ResourceBinding, ref);
    assert.equal(spec.rescheduleTriggeredAt, trigger.status?.targets?.[0]?.triggeredAt);
    assert.equal(status?.lastScheduledTime, spec.rescheduleTriggeredAt);
    assert.deepEqual(trigger.metadata.finalizers ?? [], []);
    await plane.clock.advance(5000);
    assert.deepEqual(await eventsOf(client, 'TriggerSucceeded'), [
      'ScheduleTrigger: Of 1 resource: 1 moved, 2 replicas.',
    ]);
    const { metadata } = await triggerOf(client, 'demo');
    assert.equal(metadata.resourceVersion, trigger.metadata.resourceVersion);
  });

  it('takes resources and policies together, each resource once, in either scope', async () => {
    await using plane = await start('web', 'api');
    const { client } = plane;
    await addPolicy(client, 'p');
    await addWork(client, 'theirs', { policy: 'q' });
    await client.create(ClusterResourceBinding, {
      metadata: {
        name: 'roles-clusterrole',
        labels: { 'clusterpropagationpolicy.karmada.io/permanent-id': 'c' },
        annotations: { 'clusterpropagationpolicy.karmada.io/name': 'c' },
      },
      spec: {
        resource: {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          name: 'roles',
        },
        placement: { clusterAffinity: { clusterNames: ['m1'] } },
      },
    });
    await plane.clock.advance(2000);
    await addTrigger(client, 'demo', {
      targetRefResource: [
        web,
        { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'roles' },
      ],
      targetRefPolicy: [{ namespace: 'default', name: 'p' }],
    });
    await plane.clock.advance(2000);
    const trigger = await triggerOf(client, 'demo');
    assert.deepEqual(resultsOf(trigger), [
      'roles Failed NoClusterFit',
      'api Scheduled',
      'web Scheduled',
    ]);
    const theirs = await client.get(ResourceBinding, { ...ref, name: 'theirs-deployment' });
    assert.equal(theirs.spec.rescheduleTriggeredAt, undefined);
  });

  it('finds what has no namespace, also when that is written as an empty one', async () => {
    await using plane = await start();
    const { client } = plane;
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      name: 'roles',
    };
    await client.create(ClusterResourceBinding, {
      metadata: {
        name: 'roles-clusterrole',
        labels: { 'clusterpropagationpolicy.karmada.io/permanent-id': 'c' },
        annotations: { 'clusterpropagationpolicy.karmada.io/name': 'c' },
      },
      spec: { resource: role, placement: { clusterAffinity: { clusterNames: ['m1'] } } },
    });
    await plane.clock.advance(2000);
    await addTrigger(client, 'demo', { targetRefResource: [{ ...role, namespace: '' }] });
    await plane.clock.advance(2000);
    assert.deepEqual(resultsOf(await triggerOf(client, 'demo')), ['roles Failed NoClusterFit']);
  });

  it('lists what fails, tries it again, and succeeds once it can', async () => {
    await using plane = await start('api');
    const { client, clock } = plane;
    await addTrigger(client, 'demo', {
      targetRefResource: [web, { ...web, name: 'api' }],
      targetRefPolicy: [{ namespace: 'default', name: 'p' }],
      retryAfterSeconds: 0,
    });
    const { status } = await ended(plane, 'demo');
    assert.equal(status?.phase, 'Failed');
    assert.deepEqual(status.failedResourceList, [
      {
        ...web,
        failReason:
          'BindingNotFound: there is no binding: the resource does not exist, or no policy propagates it',
      },
      {
        apiVersion: 'policy.karmada.io/v1alpha1',
        kind: 'PropagationPolicy',
        namespace: 'default',
        name: 'p',
        failReason: 'PolicyNotFound: there is no such policy',
      },
    ]);
    assert.equal(await sharesOf(client, 'api'), 'm1:2 m2:2');
    const { metadata } = await triggerOf(client, 'demo');
    await clock.advance(60_000);
    assert.equal(
      (await triggerOf(client, 'demo')).metadata.resourceVersion,
      metadata.resourceVersion,
    );
    await addPolicy(client, 'p');
    await addWork(client, 'web');
    await clock.advance(4000);
    const after = await triggerOf(client, 'demo');
    assert.equal(after.status?.phase, 'Success');
    assert.equal(after.status.failedResourceList, undefined);
    assert.deepEqual(resultsOf(after), ['api Scheduled', 'web NoChange']);
  });

  it('works several times within a second, each time', async () => {
    await using plane = await start('web');
    const { client, clock } = plane;
    const stamps: unknown[] = [];
    for (const name of ['a', 'b', 'c']) {
      await addTrigger(client, name, { targetRefResource: [web] });
      await clock.advance(150);
      assert.equal((await triggerOf(client, name)).status?.phase, 'Success', name);
      const { spec } = await client.get(ResourceBinding, ref);
      stamps.push(spec.rescheduleTriggeredAt);
    }
    assert.equal(new Set(stamps).size, 3);
  });

  it('leaves held work and started runs alone, and says so', async () => {
    await using plane = await start('web');
    const { client, clock } = plane;
    const job = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'default', name: 'train' };
    await client.patch(ResourceBinding, ref, {
      type: 'merge',
      body: { spec: { suspension: { scheduling: true } } },
    });
    const jobRef = { namespace: 'default', name: 'train-job' };
    const labels = { 'binding.karmada.io/managed-by': 'test' };
    await client.create(ResourceBinding, {
      metadata: { ...jobRef, labels },
      spec: { resource: job, replicas: 1, clusters: [{ name: 'm1' }], placement: DIVIDED } as never,
    });
    await client.patch(
      ResourceBinding,
      jobRef,
      {
        type: 'merge',
        body: { status: { aggregatedStatus: [{ clusterName: 'm1', applied: true }] } },
      },
      { subresource: 'status' },
    );
    await addTrigger(client, 'demo', { targetRefResource: [web, job] });
    await clock.advance(5000);
    const held = await triggerOf(client, 'demo');
    assert.equal(held.status?.phase, 'Running');
    assert.deepEqual(resultsOf(held), [
      'web Held SchedulingSuspended',
      'train Skipped RunsToCompletion',
    ]);
    await client.patch(ResourceBinding, ref, {
      type: 'merge',
      body: { spec: { suspension: { scheduling: false } } },
    });
    const { status } = await ended(plane, 'demo');
    assert.equal(status?.phase, 'Success');
    assert.equal(await sharesOf(client, 'web'), 'm1:2 m2:2');
    const { spec } = await client.get(ResourceBinding, jobRef);
    assert.equal(spec.rescheduleTriggeredAt, undefined);
    await addTrigger(client, 'asked', { targetRefResource: [job], moveStarted: true });
    await clock.advance(2000);
    const asked = await client.get(ResourceBinding, jobRef);
    assert.notEqual(asked.spec.rescheduleTriggeredAt, undefined);
  });

  it('is deleted when its time is over, whatever its phase, or never', async () => {
    await using plane = await start();
    const { client, clock } = plane;
    const targetRefResource = [web];
    await addTrigger(client, 'short', { targetRefResource, autoCleanAfterMinutes: 5 });
    await addTrigger(client, 'usual', { targetRefResource });
    await addTrigger(client, 'kept', { targetRefResource, autoCleanAfterMinutes: 0 });
    const names = async () =>
      (await client.list(ScheduleTrigger)).items.map(({ metadata }) => metadata.name);
    await clock.advance(299_000);
    assert.deepEqual(await names(), ['kept', 'short', 'usual']);
    await clock.advance(2000);
    assert.deepEqual(await names(), ['kept', 'usual']);
    await clock.advance(3_300_000);
    assert.deepEqual(await names(), ['kept']);
  });

  it('goes on with resources that are added to it', async () => {
    await using plane = await start('web', 'api');
    const { client } = plane;
    await addTrigger(client, 'demo', { targetRefResource: [web] });
    await ended(plane, 'demo');
    const first = (await client.get(ResourceBinding, ref)).spec.rescheduleTriggeredAt;
    await addReadyCluster(client, 'm3');
    const body = { spec: { targetRefResource: [web, { ...web, name: 'api' }] } };
    await client.patch(ScheduleTrigger, { name: 'demo' }, { type: 'merge', body });
    await plane.clock.advance(2000);
    const { status } = await triggerOf(client, 'demo');
    assert.equal(status?.phase, 'Success');
    assert.equal(status.counts?.total, 2);
    assert.equal((await client.get(ResourceBinding, ref)).spec.rescheduleTriggeredAt, first);
    assert.equal(await sharesOf(client, 'api'), 'm1:2 m2:1 m3:1');
  });
});
