import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { datasetController } from '@perigee/controllers/flows/dataset-controller';
import { Job } from '@perigee/kubernetes/batch/job';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Node } from '@perigee/kubernetes/core/node';
import { Pod } from '@perigee/kubernetes/core/pod';
import type { Operation } from '@perigee/scheduling/flows/operation';
import { runName } from '@perigee/scheduling/flows/operation-run-objects';
import { producedDatasetController } from '../../src/flows/produced-dataset-controller.ts';
import { producedSourceController } from '../../src/flows/produced-source-controller.ts';
import { startFlowWorld } from './flow-world.ts';

const after = (kind: string, name: string) => ({ runAfter: { kind, name } });
const SIMULATED = { annotations: { 'flows.perigee.io/simulate': 'true' } };

test('a flow runs step by step, each as a Job in a member', async () => {
  await using world = await startFlowWorld();
  await world.dataset();
  await world.create('DataProcess', 'clean');
  await world.create('DataProcess', 'train', after('DataProcess', 'clean'));
  await world.settle();
  assert.equal(await world.state('DataProcess', 'clean'), 'Executing Started');
  assert.equal(await world.state('DataProcess', 'train'), 'Pending WaitingForOperation');
  const job = await world.job('m1', 'clean');
  assert.equal(job?.spec.template.spec.containers[0]?.name, 'script-processor');
  assert.equal(job?.metadata.labels?.['fluid.io/dataflow'], 'clean');
  const files = await world.member('m1').find(ConfigMap, job?.metadata.name ?? '');
  assert.deepEqual(files?.data, { 'preprocess.sh': 'ls /data' });

  await world.report('m1', 'clean', 'active');
  const running = await world.get('DataProcess', 'clean');
  assert.deepEqual(
    running.status?.clusters?.map(({ name, phase }) => [name, phase]),
    [['m1', 'Executing']],
  );
  await world.report('m1', 'clean', 'complete');
  assert.equal(await world.state('DataProcess', 'clean'), 'Complete Succeeded');
  const released = await world.get('DataProcess', 'train');
  assert.deepEqual(
    [released.status?.phase, released.status?.waitingFor],
    ['Executing', { operationComplete: false }],
  );
  await world.report('m1', 'train', 'failed');
  assert.equal(await world.state('DataProcess', 'train'), 'Failed BackoffLimitExceeded');

  // From where it stopped: what is complete stays so, and the rest gets another Job.
  const annotations = { 'flows.perigee.io/retry': 'once more' };
  await world.change('DataProcess', 'train', { metadata: { annotations } });
  await world.settle();
  const again = await world.get('DataProcess', 'train');
  assert.deepEqual([again.status?.phase, again.status?.attempts], ['Executing', 2]);
  assert.deepEqual(
    (await world.jobsIn('m1')).map(({ metadata }) => metadata.name).sort(),
    [job?.metadata.name, runName(again, 2)].sort(),
  );
  await world.report('m1', 'train', 'complete');
  assert.equal(await world.state('DataProcess', 'train'), 'Complete Succeeded');
});

test('who has to wait is told why at once, and goes on when that is over', async () => {
  await using world = await startFlowWorld();
  await world.create('DataProcess', 'second', after('DataProcess', 'first'));
  await world.create('DataProcess', 'strict', {
    ...after('DataProcess', 'first'),
    onPredecessorFailure: 'fail',
  });
  await world.settle();
  assert.equal(await world.state('DataProcess', 'second'), 'Pending PredecessorMissing');
  assert.equal(await world.state('DataProcess', 'strict'), 'Pending PredecessorMissing');
  await world.create('DataProcess', 'first', { suspend: true });
  await world.settle();
  assert.equal(await world.state('DataProcess', 'first'), 'Pending Suspended');
  assert.equal(await world.state('DataProcess', 'second'), 'Pending WaitingForOperation');
  await world.change('DataProcess', 'first', { spec: { suspend: false } });
  await world.settle();
  assert.equal(await world.state('DataProcess', 'first'), 'Pending TargetDatasetNotFound');
  await world.dataset();
  await world.settle();
  assert.equal(await world.state('DataProcess', 'first'), 'Executing Started');

  await world.change('DataProcess', 'first', { spec: { cancel: true } });
  await world.settle();
  assert.equal(await world.state('DataProcess', 'first'), 'Failed Cancelled');
  assert.deepEqual(await world.templates(), []);
  assert.deepEqual(await world.jobsIn('m1'), []);
  assert.equal(await world.state('DataProcess', 'second'), 'Pending PredecessorFailed');
  assert.equal(await world.state('DataProcess', 'strict'), 'Failed PredecessorFailed');

  // Fluid's controller crashes here.
  await world.change('DataProcess', 'second', { spec: { runAfter: null } });
  await world.settle();
  assert.equal(await world.state('DataProcess', 'second'), 'Executing Started');
});

test('two that write the same data take turns, the older first, and readers do not', async () => {
  await using world = await startFlowWorld();
  await world.setPods('m1', 'played');
  await world.dataset();
  await world.create('DataMigrate', 'a', {}, SIMULATED);
  await world.settle();
  await world.create('DataLoad', 'c', {}, SIMULATED);
  await world.settle();
  await world.create('DataMigrate', 'b', {}, SIMULATED);
  await world.create('DataBackup', 'reader', {}, SIMULATED);
  await world.settle();
  assert.equal(await world.state('DataMigrate', 'a'), 'Executing Started');
  assert.equal(await world.state('DataLoad', 'c'), 'Pending DataInUse');
  assert.equal(await world.state('DataMigrate', 'b'), 'Pending DataInUse');
  assert.equal(await world.state('DataBackup', 'reader'), 'Executing Started');
  await world.report('m1', 'a', 'complete');
  assert.equal(await world.state('DataMigrate', 'a'), 'Complete Simulated');
  assert.equal(await world.state('DataLoad', 'c'), 'Executing Started');
  assert.equal(await world.state('DataMigrate', 'b'), 'Pending DataInUse');
  await world.remove('DataLoad', 'c');
  await world.settle();
  assert.equal(await world.state('DataMigrate', 'b'), 'Executing Started');
});

test('many that write the same data at once: one starts', async () => {
  await using world = await startFlowWorld();
  await world.setPods('m1', 'played');
  await world.dataset();
  const names = Array.from({ length: 20 }, (_, number) => `load-${number}`);
  await Promise.all(names.map((name) => world.create('DataLoad', name, {}, SIMULATED)));
  for (const _ of names) {
    await world.settle();
    const states = await Promise.all(names.map((name) => world.state('DataLoad', name)));
    const running = names.filter((_, place) => states[place]?.startsWith('Executing'));
    assert.equal(running.length, 1, states.join(', '));
    await world.report('m1', running[0] as string, 'complete');
  }
  const states = await Promise.all(names.map((name) => world.state('DataLoad', name)));
  assert.deepEqual([...new Set(states)], ['Complete Simulated']);
});

test('where it runs: by its spec, by a policy, or where something can run it', async () => {
  await using world = await startFlowWorld({ members: ['m1', 'm2', 'm3'] });
  await world.dataset();
  const placedBy = async (name: string) => {
    const { status } = await world.get('DataProcess', name);
    const word = status?.conditions.find(({ type }) => type === 'Placed');
    const clusters = (status?.clusters ?? []).map((cluster) => cluster.name);
    return [word?.reason, ...clusters].join(' ');
  };
  const placement = { clusterAffinity: { clusterNames: ['m2', 'm3'] } };
  await world.create('DataProcess', 'by-spec', { placement });
  await world.client.create(PropagationPolicy, {
    metadata: { namespace: 'default', name: 'to-m3' },
    spec: {
      resourceSelectors: [
        { apiVersion: 'data.fluid.io/v1alpha1', kind: 'DataProcess', name: 'by-policy' },
      ],
      placement: { clusterAffinity: { clusterNames: ['m3'] } },
    },
  });
  await world.create('DataProcess', 'by-policy');
  await world.settle();
  await world.setPods('m1', 'played');
  await world.setPods('m2', 'played');
  await world.settle();
  await world.create('DataProcess', 'free');
  await world.create('DataProcess', 'stuck', {
    placement: { clusterAffinity: { clusterNames: ['m1', 'm2'] } },
  });
  await world.settle();
  assert.equal(await placedBy('by-spec'), 'BySpec m2 m3');
  assert.equal(await placedBy('by-policy'), 'ByPolicy m3');
  assert.equal(await placedBy('free'), 'WhereRoomIs m3');
  // The detector does not send the operation itself to members.
  assert.deepEqual(
    (await world.works('m3')).map(({ metadata }) => metadata.name.split('-')[0]).sort(),
    ['by', 'by', 'by', 'by', 'free', 'free'],
  );
  assert.equal(await world.state('DataProcess', 'stuck'), 'Pending WaitingForCluster');
  assert.equal(await placedBy('stuck'), 'NoExecutor');
  await world.setPods('m2', 'processes');
  await world.settle();
  assert.equal(await placedBy('stuck'), 'BySpec m2');

  // One that fails somewhere fails when it is over everywhere.
  await world.report('m2', 'by-spec', 'failed');
  assert.equal(await world.state('DataProcess', 'by-spec'), 'Executing Started');
  await world.report('m3', 'by-spec', 'complete');
  assert.equal(await world.state('DataProcess', 'by-spec'), 'Failed BackoffLimitExceeded');
});

test('a policy that comes, changes or goes is news for what waits for a cluster', async () => {
  await using world = await startFlowWorld({ members: ['m1', 'm2'] });
  await world.dataset();
  await world.setPods('m1', 'played');
  const name = { namespace: 'default', name: 'to-m1' };
  const to = (cluster: string) => ({
    resourceSelectors: [{ apiVersion: 'data.fluid.io/v1alpha1', kind: 'DataProcess' }],
    placement: { clusterAffinity: { clusterNames: [cluster] } },
  });
  await world.client.create(PropagationPolicy, { metadata: name, spec: to('m1') });
  await world.create('DataProcess', 'changed');
  await world.settle(1000);
  assert.equal(await world.state('DataProcess', 'changed'), 'Pending WaitingForCluster');
  const patch = { type: 'merge', body: { spec: to('m2') } } as const;
  await world.client.patch(PropagationPolicy, name, patch);
  await world.settle(1000);
  assert.equal(await world.state('DataProcess', 'changed'), 'Executing Started');
  const back = { type: 'merge', body: { spec: to('m1') } } as const;
  await world.client.patch(PropagationPolicy, name, back);
  await world.create('DataProcess', 'freed');
  await world.settle(1000);
  assert.equal(await world.state('DataProcess', 'freed'), 'Pending WaitingForCluster');
  await world.client.delete(PropagationPolicy, name);
  await world.settle(1000);
  assert.equal(await world.state('DataProcess', 'freed'), 'Executing Started');
});

test('what copies from a dataset waits until that is somewhere', async () => {
  await using world = await startFlowWorld({ further: () => [datasetController()] });
  await world.client.create(Dataset, {
    metadata: { namespace: 'default', name: 'raw' },
    spec: { mounts: [{ mountPoint: 'pvc://nas/raw', name: 'raw' }] },
  });
  await world.create('DataMigrate', 'out', {
    from: { dataset: { name: 'raw' } },
    to: { externalStorage: { uri: 'pvc://nas/copy' } },
  });
  await world.settle();
  assert.equal(await world.state('DataMigrate', 'out'), 'Pending WaitingForCluster');
  const { status } = await world.get('DataMigrate', 'out');
  const word = status?.conditions.find(({ type }) => type === 'Placed');
  assert.equal(word?.reason, 'NoCopy');
  assert.match(word?.message ?? '', /no cluster has all of the dataset raw: .* DataLoad/);
  await world.create('DataLoad', 'in');
  await world.settle();
  await world.report('m1', 'in', 'complete', { result: { bytes: 1, files: 1, digest: 'd' } });
  assert.match(await world.state('DataLoad', 'in'), /^Complete/);
  assert.equal(await world.state('DataMigrate', 'out'), 'Executing Started');
});

test('a cycle that two requests made together is named, and over when one is changed', async () => {
  await using world = await startFlowWorld();
  await world.dataset();
  await world.create('DataProcess', 'a', { ...after('DataLoad', 'b'), suspend: true });
  await world.create('DataLoad', 'b', {}, SIMULATED);
  await world.setPods('m1', 'played');
  await world.settle();
  assert.equal(await world.state('DataLoad', 'b'), 'Executing Started');
  await world.create('DataLoad', 'c', { runAfterAll: [{ kind: 'DataLoad', name: 'd' }] });
  await world.create('DataLoad', 'd', { runAfterAll: [{ kind: 'DataLoad', name: 'e' }] });
  await world.settle();
  assert.equal(await world.state('DataLoad', 'c'), 'Pending WaitingForOperation');
  // The admission refuses it, unless it sees the others too late.
  const last = () =>
    world.create('DataLoad', 'e', { runAfterAll: [{ kind: 'DataLoad', name: 'c' }] });
  await assert.rejects(last(), /wait for itself: DataLoad e, which runs after DataLoad c/);
  await world.restart(async () => {
    await world.setPhase('DataLoad', 'd', 'Complete');
    await last();
    await world.setPhase('DataLoad', 'd', 'Pending');
  });
  await world.settle();
  for (const name of ['c', 'd', 'e']) {
    assert.equal(await world.state('DataLoad', name), 'Pending Cycle');
  }
  await world.change('DataLoad', 'e', { spec: { runAfterAll: null, suspend: true } });
  await world.settle();
  assert.equal(await world.state('DataLoad', 'e'), 'Pending Suspended');
  assert.equal(await world.state('DataLoad', 'd'), 'Pending WaitingForOperation');
  assert.equal(await world.state('DataLoad', 'c'), 'Pending WaitingForOperation');
});

test('a Job that the server refuses, and a name that is taken, fail with the reason', async () => {
  await using world = await startFlowWorld();
  await world.dataset();
  const volumeMounts = [{ name: 'no-such-volume', mountPath: '/x' }];
  const podSpec = { containers: [{ name: 'a', image: 'a', volumeMounts }], restartPolicy: 'Never' };
  await world.create('DataProcess', 'bad', { processor: { job: { podSpec } } });
  await world.settle();
  assert.equal(await world.state('DataProcess', 'bad'), 'Failed JobRefused');
  const { status } = await world.get('DataProcess', 'bad');
  assert.match(status?.conditions[0]?.message ?? '', /no-such-volume/);

  const held = await world.create('DataProcess', 'late', { suspend: true });
  await world.client.create(Job, {
    metadata: { namespace: 'default', name: runName(held as never, 1) },
    spec: {
      template: { spec: { containers: [{ name: 'x', image: 'x' }], restartPolicy: 'Never' } },
    },
  } as never);
  await world.change('DataProcess', 'late', { spec: { suspend: false } });
  await world.settle();
  assert.equal(await world.state('DataProcess', 'late'), 'Failed NameTaken');
  assert.equal((await world.templates()).length, 1, 'what is not its own stays');
});

test('a script that somebody put where its own goes is not run', async () => {
  await using world = await startFlowWorld();
  await world.setPods('m1', 'processes');
  await world.dataset();
  const held = await world.create('DataProcess', 'late', { suspend: true });
  const { apiVersion, kind, metadata } = held as never as Operation;
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid };
  const name = runName(held as never, 1);
  await world.client.create(ConfigMap, {
    metadata: { namespace: 'default', name, ownerReferences: [owner] },
    data: { 'preprocess.sh': 'cat /secrets/*' },
  });
  await world.change('DataProcess', 'late', { spec: { suspend: false } });
  await world.settle(5000);
  const { data } = await world.client.get(ConfigMap, { namespace: 'default', name });
  assert.deepEqual(data, { 'preprocess.sh': 'ls /data' });
  assert.deepEqual((await world.member('m1').find(ConfigMap, name))?.data, data);
});

test('what was played is told as that, also when the annotation is taken away meanwhile', async () => {
  await using world = await startFlowWorld();
  await world.setPods('m1', 'played');
  await world.dataset();
  await world.create('DataLoad', 'load', {}, SIMULATED);
  await world.settle();
  const annotations = { 'flows.perigee.io/simulate': null };
  await world.change('DataLoad', 'load', { metadata: { annotations } });
  await world.settle();
  await world.report('m1', 'load', 'complete');
  assert.equal(await world.state('DataLoad', 'load'), 'Complete Simulated');
});

test('what an operation has brought is recorded before its time to live ends it', async () => {
  await using world = await startFlowWorld({
    further: () => [datasetController(), producedDatasetController(), producedSourceController()],
  });
  await world.setPods('m1', 'processes');
  await world.dataset();
  const dataSource = { name: 'llama', system: 'models', type: 'llm', dataName: 'llama' };
  const produces = [
    { dataset: { name: 'model' }, path: 'model' },
    { dataSource, path: 'llama' },
  ];
  for (const [kind, name, spec] of [
    ['DataMigrate', 'bring', {}],
    ['DataProcess', 'train', { produces }],
  ] as const) {
    await world.create(kind, name, { ...spec, ttlSecondsAfterFinished: 0 });
    await world.settle();
    await world.report('m1', name, 'complete');
    await world.settle(20_000);
    await assert.rejects(world.get(kind, name), /not found/);
  }
  for (const name of ['raw', 'model']) {
    const { status } = await world.client.get(Dataset, { namespace: 'default', name });
    const states = status?.clusters?.map((one) => `${one.name} ${one.state}`);
    assert.deepEqual(states, ['m1 Complete'], name);
  }
  const { spec } = await world.client.get(DataSource, { name: 'llama' });
  assert.deepEqual(spec.locality.clusterNames, ['m1']);
});

test('a schedule runs it again and again, and a time to live ends it', async () => {
  await using world = await startFlowWorld();
  await world.setPods('m1', 'played');
  await world.dataset();
  await world.create('DataLoad', 'hourly', { policy: 'Cron', schedule: '@hourly' }, SIMULATED);
  await world.create('DataLoad', 'event', { policy: 'OnEvent' }, SIMULATED);
  await world.settle();
  assert.equal(await world.state('DataLoad', 'hourly'), 'Pending WaitingForSchedule');
  assert.equal(await world.state('DataLoad', 'event'), 'Pending NothingStartsIt');
  for (const attempt of [1, 2]) {
    await world.settle(3_600_000);
    const { status } = await world.get('DataLoad', 'hourly');
    assert.deepEqual([status?.phase, status?.attempts], ['Executing', attempt]);
    await world.report('m1', 'hourly', 'complete');
    assert.equal(await world.state('DataLoad', 'hourly'), 'Complete Simulated');
  }
  assert.equal((await world.jobsIn('m1')).length, 1, 'the Job of the run before is gone');
  await world.remove('DataLoad', 'hourly');
  await world.settle();
  assert.deepEqual(await world.jobsIn('m1'), []);

  await world.create('DataLoad', 'brief', { ttlSecondsAfterFinished: 0 }, SIMULATED);
  await world.create('DataLoad', 'next', { ...after('DataLoad', 'brief'), suspend: true });
  await world.settle();
  await world.report('m1', 'brief', 'complete');
  await world.settle();
  // Its successor has seen that it is complete before it went.
  await assert.rejects(world.get('DataLoad', 'brief'), /not found/);
  assert.equal(await world.state('DataLoad', 'next'), 'Pending Suspended');
});

test('a step follows the one before it to its cluster and its node', async () => {
  await using world = await startFlowWorld({ members: ['m1', 'm2'] });
  await world.dataset();
  const { admin } = world.member('m2');
  const labels = { 'kubernetes.io/hostname': 'gpu-7', 'k8s.rack': 'r1', other: 'x' };
  await admin.create(Node, { metadata: { name: 'gpu-7', labels } } as never);
  const metadata = { annotations: { 'affinity.dataflow.fluid.io/labels': 'k8s.rack' } };
  const placement = { clusterAffinity: { clusterNames: ['m2'] } };
  await world.create('DataProcess', 'first', { placement }, metadata);
  const strategy = { policy: 'Require', requires: [{ name: 'k8s.rack' }] };
  const runAfter = { kind: 'DataProcess', name: 'first', affinityStrategy: strategy };
  await world.create('DataProcess', 'second', { runAfter });
  await world.settle();
  const job = await world.job('m2', 'first');
  const { matchLabels = {} } = job?.spec.selector ?? {};
  await admin.create(Pod, {
    metadata: { namespace: 'default', name: 'p', labels: matchLabels },
    spec: { nodeName: 'gpu-7', containers: [{ name: 'c', image: 'i' }] },
  } as never);
  await world.report('m2', 'first', 'complete');
  const told = await world.get('DataProcess', 'first');
  assert.equal(told.status?.clusters?.[0]?.node, 'gpu-7');
  const next = await world.job('m2', 'second');
  const pod = next?.spec.template.spec as { affinity?: object } | undefined;
  assert.deepEqual(pod?.affinity, {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'k8s.rack', operator: 'In', values: ['r1'] }] },
        ],
      },
    },
  });
  const word = (await world.get('DataProcess', 'second')).status?.conditions[1];
  assert.equal(word?.reason, 'WherePredecessorRan');
});
