import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import { DataProcess } from '@perigee/api/kinds/flows/data-process';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Secret } from '@perigee/kubernetes/core/secret';
import { flowsOf } from '@perigee/scheduling/flows/flow-graph';
import { flowReport } from '@perigee/scheduling/flows/flow-report';
import { OPERATION_KINDS } from '@perigee/scheduling/flows/operation';
import { formatFlow } from '../src/flows/format-flow.ts';
import { openStage, type Stage } from './command-line.ts';

const DATASET = { dataset: { name: 'raw' } };
const MIGRATE = { from: { externalStorage: { uri: 'pvc://nas/' } }, to: DATASET };
const PROCESS = {
  dataset: { name: 'raw', mountPath: '/data' },
  processor: { script: { source: 'true' } },
};
const after_ = (kind: ResourceKind, name: string) => ({ runAfter: { kind: kind.kind, name } });

let stage: Stage;

const add = async (
  kind: ResourceKind,
  name: string,
  spec: object,
  status: object,
  namespace = 'default',
) => {
  const { client } = stage.server;
  await client.create(kind, { metadata: { namespace, name }, spec } as never);
  const body = { status };
  await client.patch(kind, { namespace, name }, { type: 'merge', body }, { subresource: 'status' });
};

const waiting = (message: string) => ({
  phase: 'Pending',
  waitingFor: { operationComplete: true },
  conditions: [{ type: 'Started', status: 'False', reason: 'WaitingForOperation', message }],
});

describe('perigee flow', () => {
  before(async () => {
    stage = await openStage();
    await stage.server.client.create(Namespace, { metadata: { name: 'other' } });
    const result = { bytes: 2048, files: 3, digest: 'd' };
    await add(DataMigrate, 'fetch', MIGRATE, {
      phase: 'Complete',
      duration: '12s',
      clusters: [{ name: 'm1', phase: 'Complete', result }],
      conditions: [{ type: 'Complete', status: 'True', reason: 'Succeeded', message: 'done' }],
    });
    const progress = {
      bytesDone: 1024,
      bytesTotal: 2048,
      percentage: 50,
      bytesPerSecond: 512,
      secondsLeft: 2,
    };
    await add(
      DataLoad,
      'warm',
      { ...DATASET, ...after_(DataMigrate, 'fetch') },
      {
        phase: 'Executing',
        duration: 'Unfinished',
        progress,
        clusters: [{ name: 'm1', phase: 'Executing', progress }],
        conditions: [{ type: 'Placed', status: 'True', reason: 'WhereRoomIs', message: 'room' }],
      },
    );
    for (const name of ['left', 'right']) {
      const spec = { ...PROCESS, ...after_(DataLoad, 'warm') };
      await add(DataProcess, name, spec, waiting('DataLoad warm is not complete yet'));
    }
    const runAfterAll = ['left', 'right'].map((name) => ({ kind: 'DataProcess', name }));
    const join = { ...PROCESS, runAfterAll };
    await add(DataProcess, 'train', join, waiting('DataProcess left is not complete yet'));
    const failed = {
      phase: 'Failed',
      duration: '3s',
      clusters: [{ name: 'm2', phase: 'Failed', message: 'exit code 1' }],
      conditions: [
        {
          type: 'Failed',
          status: 'True',
          reason: 'BackoffLimitExceeded',
          message: 'm2: no\u001b[2J',
        },
      ],
    };
    await add(DataLoad, 'broken', DATASET, failed, 'other');
    const spec = { ...PROCESS, ...after_(DataLoad, 'broken') };
    await add(DataProcess, 'never', spec, waiting('DataLoad broken failed'), 'other');
  });
  after(() => stage[Symbol.asyncDispose]());

  it('lists flows with what they are at', async () => {
    const { stdout, code } = await stage.run(['flow', 'list', '-A', '-o', 'wide']);
    assert.equal(code, 0);
    assert.deepEqual(
      stdout.split('\n').map((line) => line.trim().split(/ {3,}/)),
      [
        ['NAMESPACE', 'FLOW', 'PHASE', 'STEPS', 'PROGRESS', 'CLUSTERS', 'NOW', 'WHY'],
        [
          'default',
          'fetch',
          'Executing',
          '1/5',
          '30%',
          'm1',
          'DataLoad/warm',
          '1KiB of 2KiB, 512B/s, 2s left',
        ],
        ['other', 'broken', 'Failed', '0/2', '0%', 'm2', 'DataLoad/broken', 'm2: no [2J'],
        [''],
      ],
    );
  });

  it('shows a flow by its name and by any of its steps, in plain lines', async () => {
    const { stdout } = await stage.run(['flow', 'show', 'fetch']);
    assert.match(stdout, /^Flow fetch in default: Executing, 1 of 5 steps complete\n/);
    assert.match(stdout, /DataMigrate\/fetch +Complete +m1 +- +- +12s, 2KiB, 3 files/);
    assert.match(stdout, /DataLoad\/warm +Executing +m1 +50% +DataMigrate\/fetch +1KiB of 2KiB/);
    assert.match(stdout, /DataProcess\/train +Pending +- +- +DataProcess\/left,DataProcess\/right/);
    const byStep = await stage.run(['flow', 'show', 'process/train']);
    assert.equal(byStep.stdout, stdout);
  });

  it('draws fan-out, joins and progress on a terminal', async () => {
    const lists = await Promise.all(
      OPERATION_KINDS.map((kind) => stage.server.client.list(kind, { namespace: 'default' })),
    );
    const [flow] = flowsOf(lists.flatMap(({ items }) => items));
    assert.ok(flow);
    const drawn = formatFlow(flowReport(flow), { terminal: { width: 120, hasColours: false } });
    const lines = drawn.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  '));
    assert.deepEqual(lines.slice(1, 5), [
      'DataMigrate/fetch  Complete  m1  12s, 2KiB, 3 files',
      '└─ DataLoad/warm  Executing  m1  ████████░░░░░░░░  50%  1KiB of 2KiB, 512B/s, 2s left',
      '  ├─ DataProcess/left  Pending  DataLoad warm is not complete yet',
      '  └─ DataProcess/right  Pending  DataLoad warm is not complete yet',
    ]);
    assert.match(
      lines[5] ?? '',
      /└─ DataProcess\/train {2}Pending {2}also after DataProcess\/left/,
    );
    assert.ok(drawn.split('\n').every((line) => line.length <= 120));
  });

  it('gives programs the same as JSON', async () => {
    const { stdout } = await stage.run(['flow', 'show', 'fetch', '-o', 'json']);
    const { phase, complete, steps } = JSON.parse(stdout);
    assert.deepEqual([phase, complete], ['Executing', 1]);
    assert.deepEqual(
      steps.map(({ name }: { name: string }) => name),
      ['fetch', 'warm', 'left', 'right', 'train'],
    );
    assert.equal(steps[1].progress.percentage, 50);
  });

  it('ends with the flow when it is followed, and with a failure if that failed', async () => {
    const { stdout, code } = await stage.run(['flow', 'show', 'broken', '-n', 'other', '-w']);
    assert.equal(code, 1);
    assert.match(stdout, /DataProcess\/never +Pending/);
  });

  it('tries the failed steps again, and cancels those that have not ended', async () => {
    const { client } = stage.server;
    const retried = await stage.run(['flow', 'retry', 'broken', '-n', 'other']);
    assert.equal(retried.stdout, 'dataload.data.fluid.io/broken tried again\n');
    const broken = await client.get(DataLoad, { namespace: 'other', name: 'broken' });
    assert.ok(broken.metadata.annotations?.['flows.perigee.io/retry']);
    const cancelled = await stage.run(['flow', 'cancel', 'broken', '-n', 'other']);
    assert.equal(cancelled.stdout, 'dataprocess.data.fluid.io/never cancelled\n');
    const never = await client.get(DataProcess, { namespace: 'other', name: 'never' });
    assert.equal(never.spec.cancel, true);
    const again = await stage.run(['flow', 'cancel', 'broken', '-n', 'other']);
    assert.deepEqual([again.code, again.stdout], [5, '']);
    assert.match(again.stderr, /nothing is left to cancel/);
  });

  it('tries a flow again from its beginning on, so that no step sees its predecessor failed', async () => {
    const failed = { phase: 'Failed', duration: '1s', conditions: [] };
    await add(DataLoad, 'one', DATASET, failed, 'other');
    await add(DataProcess, 'two', { ...PROCESS, ...after_(DataLoad, 'one') }, failed, 'other');
    const { stdout } = await stage.run(['flow', 'retry', 'one', '-n', 'other']);
    const names = stdout.split('\n').map((line) => line.split(' ')[0]);
    assert.deepEqual(names, ['dataload.data.fluid.io/one', 'dataprocess.data.fluid.io/two', '']);
  });

  it('says what is wrong with a name', async () => {
    const cases = [
      [['flow', 'show', 'nothing'], 3, /no flow nothing in the namespace default/],
      [['flow', 'show', 'deployment/web'], 2, /is no step of a flow/],
      [['flow', 'logs', 'fetch'], 2, /which step of fetch/],
      [['flow', 'logs', 'dataprocess/train'], 3, /has not run anywhere yet/],
      [['flow', 'logs', 'dataload/warm', '--cluster', 'm9'], 3, /did not run in m9, but in m1/],
      [['flow', 'logs', 'dataload/warm'], 3, /there is no way to it/],
      [['flow', 'logs', 'dataload/gone'], 3, /not found/],
    ] as const;
    for (const [args, code, message] of cases) {
      const result = await stage.run(args);
      assert.equal(result.code, code, `${args.join(' ')}: ${result.stderr}`);
      assert.match(result.stderr.replaceAll(/\s+/g, ' '), message);
    }
  });

  it('finds what a step printed with the credentials of its cluster, without a context', async () => {
    await using member = await openStage();
    const { client } = stage.server;
    const secretRef = { namespace: 'credentials', name: 'm1' };
    await client.create(Namespace, { metadata: { name: secretRef.namespace } });
    const kubeconfig = readFileSync(member.kubeconfig).toString('base64');
    await client.create(Secret, { metadata: secretRef, data: { kubeconfig } });
    await client.create(MemberCluster, {
      metadata: { name: 'm1' },
      spec: { syncMode: 'Push', secretRef },
    });
    const none = await stage.run(['flow', 'logs', 'dataload/warm']);
    assert.equal(none.code, 3, none.stderr);
    assert.match(none.stderr, /m1 has no pods of it any more/);
  });
});
