import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { DeployedSchedulers } from '@perigee/controllers/clusters/scheduler-lifecycle/deployed-schedulers';
import { startScheduler } from '@perigee/controllers/clusters/scheduler-lifecycle/start-scheduler';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { isNotFound } from '@perigee/kube/errors';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Pod } from '@perigee/kubernetes/core/pod';
import { startMember } from '@perigee/member/start-member';
import { shardingControllers } from '../../packages/controllers/test/support/sharding-controllers.ts';

const namespace = 'perigee-system';
const deployment = { namespace, name: 'perigee-scheduler-one' };

/** A cluster that runs Deployments, with the controllers of a control plane in it. */
const startCluster = async () => {
  const clock = new VirtualClock();
  await using stack = new AsyncDisposableStack();
  const logger = createLogger({ clock, level: 'error' });
  const { client } = stack.use(await startEmbeddedServer({ clock, logger }));
  stack.use(await startMember({ client, clock, logger, nodes: [{ count: 1 }] }));
  const processes = new DeployedSchedulers({ image: 'perigee:test', namespace });
  const controllers = shardingControllers({ processes });
  const manager = stack.use(new Manager({ client, clock, logger, controllers }));
  await manager.start();
  await client.create(Namespace, { metadata: { name: namespace } });
  await client.create(Scheduler, { metadata: { name: 'one' }, spec: {} });
  const running = stack.move();
  return {
    client,
    clock,
    logger,
    phase: async () => (await client.get(Scheduler, { name: 'one' })).status?.phase,
    pods: async () => (await client.list(Pod, { namespace })).items.length,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
};

describe('a Scheduler on Kubernetes', () => {
  it('gets a Deployment of its own, which goes before it', async () => {
    await using cluster = await startCluster();
    const { client, clock, phase, pods } = cluster;
    await clock.advance(10_000);
    const { metadata, spec } = await client.get(Deployment, deployment);
    const { uid } = (await client.get(Scheduler, { name: 'one' })).metadata;
    assert.deepEqual(
      metadata.ownerReferences?.map(({ kind, name, uid: of }) => ({ kind, name, of })),
      [{ kind: 'Scheduler', name: 'one', of: uid }],
    );
    const [container] = spec.template.spec.containers;
    assert.equal(container?.image, 'perigee:test');
    assert.deepEqual(container?.args, ['scheduler', '--name', 'one']);
    assert.equal(await pods(), 1);
    assert.equal(await phase(), 'Pending');

    // Runs in the place of the pod's container.
    await using scheduler = await startScheduler({ ...cluster, name: 'one' });
    await clock.advance(5_000);
    assert.equal(await phase(), 'Active');
    const { resourceVersion } = (await client.get(Deployment, deployment)).metadata;
    await clock.advance(60_000);
    const later = await client.get(Deployment, deployment);
    assert.equal(later.metadata.resourceVersion, resourceVersion);

    await client.delete(Scheduler, { name: 'one' });
    await scheduler.stop();
    await clock.advance(90_000);
    await assert.rejects(client.get(Deployment, deployment), isNotFound);
    assert.equal(await pods(), 0);
    await assert.rejects(client.get(Scheduler, { name: 'one' }), isNotFound);
  });

  it('gets its Deployment back when somebody deletes it', async () => {
    await using cluster = await startCluster();
    const { client, clock } = cluster;
    await clock.advance(10_000);
    const { metadata } = await client.get(Deployment, deployment);
    const first = await startScheduler({ ...cluster, name: 'one' });
    await clock.advance(5_000);
    await client.delete(Deployment, deployment);
    await first.stop();
    await clock.advance(30_000);
    const { uid } = (await client.get(Deployment, deployment)).metadata;
    assert.notEqual(uid, metadata.uid);
  });
});
