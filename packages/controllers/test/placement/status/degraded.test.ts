import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition } from '@perigee/api/values/conditions';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Event } from '@perigee/kubernetes/core/event';
import { Pod } from '@perigee/kubernetes/core/pod';
import { startFederation } from '../../support/federation.ts';
import { boundTo, deployment } from '../../support/kinds.ts';

const REF = { namespace: 'default', name: 'web' };

type World = Awaited<ReturnType<typeof startFederation>>;

/** A Deployment of two replicas in m1, which reports that one of them is ready. */
const startWeb = async (world: World) => {
  await world.client.create(Deployment, deployment('web', 2));
  const clusters = [{ name: 'm1', replicas: 2 }];
  await world.bind(boundTo('apps/v1', 'Deployment', 'web'), clusters, { replicas: 2 });
  await world.settle();
};

const report = async (world: World, readyReplicas: number, more: object = {}) => {
  const { admin } = world.member('m1');
  const { generation } = (await admin.get(Deployment, REF)).metadata;
  const counts = {
    replicas: 2,
    updatedReplicas: 2,
    readyReplicas,
    availableReplicas: readyReplicas,
  };
  const body = { status: { observedGeneration: generation, ...counts, ...more } };
  await admin.patch(Deployment, REF, { type: 'merge', body }, { subresource: 'status' });
};

const waiting = (reason: string, message = reason) => ({
  phase: 'Pending',
  containerStatuses: [
    { name: 'main', image: 'nginx:nope', state: { waiting: { reason, message } } },
  ],
});

const setPod = async (world: World, status: object) => {
  const { admin } = world.member('m1');
  const metadata = { namespace: 'default', name: 'web-1', labels: { app: 'web' } };
  const spec = { containers: [{ name: 'main', image: 'nginx:nope' }] };
  await admin.create(Pod, { metadata, spec } as never).catch(() => {});
  const body = { status: { containerStatuses: null, ...status } };
  await admin.patch(Pod, metadata, { type: 'merge', body }, { subresource: 'status' });
};

const degradedEvents = async ({ client }: World) => {
  const { uid } = (await client.get(Deployment, REF)).metadata;
  return (await client.list(Event)).items
    .filter(({ reason }) => reason === 'WorkDegraded')
    .map(({ type, message, count, involvedObject }) => {
      assert.equal(involvedObject.uid, uid, 'kubectl describe shows the events of this uid');
      return `${type} ${count}: ${message}`;
    });
};

const degraded = async (world: World) => {
  const work = (await world.works('m1')).find(({ metadata }) => /^web-/.test(metadata.name));
  const condition = findCondition(work?.status?.conditions, 'Degraded');
  return condition && `${condition.status} ${condition.reason}`;
};

const IMAGE = 'Warning 1: 1 pod in m1: the image `nginx:nope` cannot be pulled: no such tag';
const CRASH = 'Warning 1: 1 pod in m1: the container main ends again and again';
const MISSING =
  'Warning 1: 1 pod in m1: the container main cannot start: configmap "settings" not found';

test('a pod whose image cannot be pulled is told of once, as an Event and a condition', async () => {
  await using world = await startFederation();
  await startWeb(world);
  await setPod(world, waiting('ErrImagePull', 'no such tag'));
  await report(world, 1);
  await world.settle(25_000);
  assert.deepEqual(await degradedEvents(world), []);
  await world.settle(10_000);
  assert.deepEqual(await degradedEvents(world), [IMAGE]);
  assert.equal(await degraded(world), 'True ImageNotPulled');
  // The words of the kubelet change, its cause does not.
  await setPod(world, waiting('ImagePullBackOff', 'Back-off pulling'));
  await world.settle(1_500_000);
  await world.restart();
  await world.settle(1_500_000);
  assert.deepEqual(await degradedEvents(world), [IMAGE]);
});

test('pods are read a few times only, however often their workload reports', async () => {
  await using world = await startFederation();
  await startWeb(world);
  await setPod(world, waiting('ErrImagePull'));
  const { requests } = world.member('m1');
  for (let at = 0; at < 60; at += 1) {
    await report(world, at % 2, { unavailableReplicas: at });
    await world.settle(1000);
  }
  const reads = requests.filter((request) => request === 'list pods').length;
  assert.ok(reads >= 1 && reads <= 2, `${reads} lists of pods`);
});

test('an ordinary rollout is not told of, nor a fault that passes', async () => {
  await using world = await startFederation();
  await startWeb(world);
  await setPod(world, waiting('ErrImagePull'));
  await report(world, 1);
  await world.settle(20_000);
  await setPod(world, { phase: 'Pending' });
  await world.settle(60_000);
  await setPod(world, { phase: 'Running' });
  await world.settle(60_000);
  await report(world, 2);
  await setPod(world, waiting('ErrImagePull'));
  await world.settle(600_000);
  assert.deepEqual(await degradedEvents(world), []);
  assert.equal(await degraded(world), undefined);
});

test('pods that run for minutes without becoming ready are told of', async () => {
  await using world = await startFederation();
  await startWeb(world);
  await report(world, 1);
  await setPod(world, { phase: 'Running' });
  await world.settle(600_000);
  const message = 'Warning 1: 1 pod in m1: the containers run, and are not ready';
  assert.deepEqual(await degradedEvents(world), [message]);
});

test('a mended image ends it, and another fault is told of', async () => {
  await using world = await startFederation();
  await startWeb(world);
  await setPod(world, waiting('ErrImagePull', 'no such tag'));
  await report(world, 1);
  await world.settle(40_000);
  await report(world, 2);
  await world.settle(10_000);
  assert.equal(await degraded(world), 'True ImageNotPulled');
  await world.settle(30_000);
  assert.equal(await degraded(world), 'False Recovered');
  await report(world, 1);
  await setPod(world, waiting('CrashLoopBackOff'));
  await world.settle(40_000);
  assert.deepEqual(await degradedEvents(world), [IMAGE, CRASH]);
});

test('another cause is told of, and a container that runs between two crashes is not', async () => {
  await using world = await startFederation();
  await startWeb(world);
  await report(world, 1);
  await setPod(world, waiting('CrashLoopBackOff'));
  await world.settle(40_000);
  await setPod(world, { phase: 'Running' });
  await world.settle(1_000_000);
  await setPod(world, waiting('CrashLoopBackOff'));
  await world.settle(1_000_000);
  await setPod(world, waiting('CreateContainerConfigError', 'configmap "settings" not found'));
  await world.settle(1_000_000);
  assert.deepEqual(await degradedEvents(world), [CRASH, MISSING]);
});

test('a quota that keeps the member from creating pods is told of in one line of limited length', async () => {
  await using world = await startFederation();
  await startWeb(world);
  const refused = `exceeded quota: small\n${'x'.repeat(5000)}`;
  const failure = {
    type: 'ReplicaFailure',
    status: 'True',
    reason: 'FailedCreate',
    message: refused,
  };
  await report(world, 0, { conditions: [failure] });
  await world.settle(40_000);
  const [message = '', ...others] = await degradedEvents(world);
  assert.match(message, /^Warning 1: m1 does not create its pods: exceeded quota: small xxx/);
  assert.ok(message.length < 1100);
  assert.deepEqual(others, []);
});
