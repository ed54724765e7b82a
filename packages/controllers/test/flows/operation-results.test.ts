import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Job } from '@perigee/kubernetes/batch/job';
import { Event } from '@perigee/kubernetes/core/event';
import { Pod } from '@perigee/kubernetes/core/pod';
import type { JsonObject } from '@perigee/schema/json';
import { startFederation } from '../support/federation.ts';
import { boundTo } from '../support/kinds.ts';

const REF = { namespace: 'default', name: 'load' };
const POD = { namespace: 'default', name: 'load-1' };
const AT = '2026-01-01T00:00:00Z';

/** A control plane that sent the Job of an operation to a member, in which nothing runs it but this test. */
const startWorld = async (
  annotations: { readonly [key: string]: string } = {},
  command: readonly string[] = ['perigee-mover', '/order.json'],
) => {
  const world = await startFederation();
  const { client } = world;
  const member = world.member('m1');
  const labels = { 'flows.perigee.io/operation': 'DataLoad.uid' };
  const main = { name: 'mover', image: 'm', command };
  const template = {
    metadata: { labels, annotations },
    spec: { restartPolicy: 'Never', containers: [main] },
  };
  await client.create(Job, { metadata: { ...REF, labels }, spec: { template } } as never);
  await world.bind(boundTo('batch/v1', 'Job', 'load'), [{ name: 'm1' }]);
  await world.settle();
  const job = await member.admin.get(Job, REF);
  const { matchLabels } = (job as unknown as JsonObject & { spec: { selector: JsonObject } }).spec
    .selector;
  const metadata = { ...POD, labels: { ...labels, ...(matchLabels as object) } };
  const spec = { ...template.spec, nodeName: 'node-1' };
  await member.admin.create(Pod, { metadata, spec });
  const status = { subresource: 'status' };
  const patchPod = (body: object) =>
    member.admin.patch(Pod, POD, { type: 'merge', body: { status: body } }, status);
  const patchJob = (body: object) =>
    member.admin.patch(Job, REF, { type: 'merge', body: { status: body } }, status);
  const container = (state: object) => ({
    containerStatuses: [
      {
        name: 'mover',
        image: 'm',
        imageID: '',
        ready: false,
        restartCount: 0,
        containerID: 'x://1',
        state,
      },
    ],
  });
  const told = async (): Promise<JsonObject> => {
    const { items } = await client.list(ResourceBinding, { namespace: 'default' });
    const [item] = items[0]?.status?.aggregatedStatus ?? [];
    return ((item?.status ?? {}) as JsonObject).operation as JsonObject;
  };
  return { ...world, member, patchPod, patchJob, container, told };
};

test('a Work tells of an operation how far it is, and in the end what came out', async () => {
  await using world = await startWorld();
  const { member, patchPod, patchJob, container, told, clock } = world;
  let seconds = 0;
  using _ = member.logs.serve(async function* () {
    seconds += 1;
    const bytes = { bytesDone: seconds * 10, bytesTotal: 1000, filesDone: 0, filesTotal: 1 };
    const speed = { percentage: seconds, bytesPerSecond: 10.4, secondsLeft: 5 };
    yield Buffer.from(`${JSON.stringify({ type: 'progress', ...bytes, ...speed })}\n`);
  });
  await patchPod({ phase: 'Running', ...container({ running: { startedAt: AT } }) });
  await patchJob({ startTime: AT, active: 1 });
  await clock.advance(10_000);
  const { node, progress } = await told();
  assert.equal(node, 'node-1');
  assert.equal((progress as JsonObject).bytesPerSecond, 10);
  assert.ok(seconds >= 5 && seconds <= 12, `${seconds} times in 10 s`);
  assert.equal(member.requests.filter((one) => one === 'list pods').length, 1);

  const result = { type: 'result', digest: 'tree1:a', files: 1, bytes: 1000 };
  const terminated = {
    exitCode: 0,
    startedAt: AT,
    finishedAt: AT,
    message: JSON.stringify(result),
  };
  await patchPod({ phase: 'Succeeded', ...container({ terminated }) });
  const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True' }));
  await patchJob({ active: 0, succeeded: 1, completionTime: AT, conditions });
  await clock.advance(3000);
  assert.deepEqual((await told()).result, { bytes: 1000, files: 1, digest: 'tree1:a' });

  const asked = seconds;
  await member.admin.delete(Pod, POD, { gracePeriodSeconds: 0 });
  const [work] = await world.works('m1');
  await world.restart();
  await clock.advance(60_000);
  assert.deepEqual((await told()).result, { bytes: 1000, files: 1, digest: 'tree1:a' });
  assert.equal(seconds, asked, 'nothing is asked about what is over');
  const [after] = await world.works('m1');
  assert.equal(after?.metadata.resourceVersion, work?.metadata.resourceVersion);
});

test('a Work tells why an operation waits, and why it failed', async () => {
  await using world = await startWorld();
  const { member, patchPod, patchJob, container, told, clock } = world;
  const message = 'persistentvolumeclaim "raw" not found';
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
  await patchPod({ phase: 'Pending', conditions });
  await patchJob({ startTime: AT, active: 1 });
  await clock.advance(3000);
  assert.equal((await told()).message, message);
  // Nobody answers for its log: that is no reason to tell nothing.
  await patchPod({
    phase: 'Running',
    ...container({ running: { startedAt: AT } }),
    conditions: [],
  });
  await patchJob({ ready: 1 });
  await clock.advance(3000);
  assert.deepEqual(await told(), { node: 'node-1' });
  const failure = { type: 'failure', reason: 'DiskFull', message: 'no room for 7 bytes' };
  const terminated = {
    exitCode: 21,
    startedAt: AT,
    finishedAt: AT,
    message: JSON.stringify(failure),
  };
  await patchPod({ phase: 'Failed', ...container({ terminated }) });
  await patchJob({
    active: 0,
    failed: 1,
    conditions: ['FailureTarget', 'Failed'].map((type) => ({ type, status: 'True', reason: 'x' })),
  });
  await clock.advance(3000);
  assert.equal((await told()).message, 'DiskFull: no room for 7 bytes');
  assert.ok(member.requests.includes('podLog'));
});

test('a Work tells which volume of an operation is missing, as the events of its pod say', async () => {
  await using world = await startWorld();
  const { member, patchPod, patchJob, container, told, clock } = world;
  const { metadata } = await member.admin.get(Pod, POD);
  const event = (name: string, uid: string, reason: string, message: string) =>
    member.admin.create(Event, {
      metadata: { namespace: 'default', name },
      involvedObject: { kind: 'Pod', ...POD, uid },
      type: 'Warning',
      reason,
      message,
    });
  const message = 'MountVolume.SetUp failed for volume "secret-0" : secret "keys" not found';
  await event('e1', metadata.uid, 'FailedMount', message);
  await event('e2', 'another pod', 'FailedMount', 'that of another pod');
  await event('e3', metadata.uid, 'Scheduled', 'it has a node');
  await patchPod({
    phase: 'Pending',
    ...container({ waiting: { reason: 'ContainerCreating' } }),
  });
  await patchJob({ startTime: AT, active: 1 });
  await clock.advance(3000);
  assert.equal((await told()).message, message);
  await clock.advance(27_000);
  const looks = member.requests.filter((one) => one === 'list events').length;
  assert.ok(looks >= 4 && looks <= 9, `${looks} lists of events in 30 s`);
  await patchPod({ phase: 'Running', ...container({ running: { startedAt: AT } }) });
  await clock.advance(6000);
  assert.equal((await told()).message, undefined, 'it was there later');
});

test('a Work tells what a pod of a user waits for now, not what it waited for first', async () => {
  await using world = await startWorld({}, ['sh']);
  const { patchPod, patchJob, container, told, clock } = world;
  const message = 'persistentvolumeclaim "raw" not found';
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
  await patchPod({ phase: 'Pending', conditions });
  await patchJob({ startTime: AT, active: 1 });
  await clock.advance(1000);
  assert.equal((await told()).message, message);
  // Nothing of this changes the Job.
  const waiting = { reason: 'CreateContainerConfigError', message: 'secret "key" not found' };
  await patchPod({ phase: 'Pending', conditions: [], ...container({ waiting }) });
  await clock.advance(6000);
  assert.equal((await told()).message, 'CreateContainerConfigError: secret "key" not found');
});

test('pods that are only played are not asked', async () => {
  await using world = await startWorld({ 'member.perigee.io/runtime': 'simulated' });
  const { member, patchPod, patchJob, container, told, clock } = world;
  await patchPod({ phase: 'Running', ...container({ running: { startedAt: AT } }) });
  await patchJob({ startTime: AT, active: 1 });
  await clock.advance(10_000);
  assert.equal(await told(), undefined);
  assert.deepEqual(
    member.requests.filter((one) => /pod/i.test(one)),
    [],
  );
});
