import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { on } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Queue } from '@perigee/api/kinds/queues/queue';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { formatTime } from '@perigee/schema/values/time';
import { main, openStage, type Stage } from './command-line.ts';

let stage: Stage;
const HOUR_MS = 3_600_000;

const create = async <K extends ResourceKind>(kind: K, object: object, status: object) => {
  const { client } = stage.server;
  const { metadata } = await client.create(kind, object as never);
  const ref = { name: metadata.name, ...(metadata.namespace && { namespace: metadata.namespace }) };
  await client.patch(kind, ref, { type: 'merge', body: { status } }, { subresource: 'status' });
};

const condition = (type: string, status: string, reason: string, hoursAgo = 0) => ({
  type,
  status,
  reason,
  message: `${reason} is why`,
  lastTransitionTime: formatTime(Date.now() - hoursAgo * HOUR_MS),
});

const binding = (name: string) => ({
  metadata: { namespace: 'shop', name: `${name}-deployment` },
  spec: { resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name } },
});

before(async () => {
  stage = await openStage();
  const { client } = stage.server;
  await client.create(Namespace, { metadata: { name: 'shop' } });
  const amounts = { allocatable: { cpu: '8', memory: '32Gi' }, allocated: { cpu: '500m' } };
  await create(
    ClusterRecord,
    { metadata: { name: 'near' }, spec: { region: { region: 'eu-west' } } },
    { phase: 'Ready', homeScheduler: 'one', ...amounts },
  );
  const conditions = [condition('Ready', 'False', 'Unreached')];
  await create(
    ClusterRecord,
    { metadata: { name: 'zero' }, spec: {} },
    { phase: 'Unreachable', conditions },
  );
  await create(
    Scheduler,
    { metadata: { name: 'one' }, spec: {} },
    { phase: 'Active', clusters: { desired: ['near', 'zero'], inUse: ['near'] } },
  );
  await create(ResourceBinding, binding('placed'), {
    conditions: [condition('Scheduled', 'True', 'Success')],
  });
  for (const [name, reason, hours] of [
    ['young', 'NoClusterFit', 1],
    ['old', 'QuotaExceeded', 5],
    ['middle', 'NoClusterFit', 4],
  ] as const) {
    await create(ResourceBinding, binding(name), {
      conditions: [condition('Scheduled', 'False', reason, hours)],
    });
  }
  await client.create(ResourceBinding, binding('unseen') as never);
});
after(() => stage[Symbol.asyncDispose]());

describe('perigee status', () => {
  it('shows clusters, schedulers and held work on one screen', async () => {
    const { code, stdout, stderr } = await stage.run(['status']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^Clusters: 2, of which 1 ready, 1 not\n/);
    assert.match(stdout, /zero +Unreachable .*Unreached\n +near +Ready +one +eu-west +7\.5 +32Gi/);
    assert.match(stdout, /Schedulers: 1, of which 1 active\n.*\n +one +Active +2 +1\n/);
    assert.match(
      stdout,
      /Work: 5 bindings: 1 placed, 1 of them not yet applied everywhere, 4 wait/,
    );
    assert.match(stdout, /Held work: 2 NoClusterFit, 1 QuotaExceeded, 1 \(undecided\); the oldest/);
    const order = [...stdout.matchAll(/Deployment shop\/(\w+) /g)].map(([, name]) => name);
    assert.deepEqual(order, ['old', 'middle', 'young', 'unseen']);
    assert.match(stdout, /Deployment shop\/old +5h +QuotaExceeded +QuotaExceeded is why\n/);
  });

  it('tells of work in a lost cluster that nobody knows how it is', async () => {
    const { client } = stage.server;
    await client.create(Namespace, { metadata: { name: 'lost' } });
    const item = (clusterName: string, health: string, told: object = {}) => ({
      clusterName,
      applied: true,
      health,
      ...told,
    });
    const behind = { applied: false, appliedMessage: 'the cluster is not ready' };
    for (const [name, items, isApplied] of [
      ['fine', [item('near', 'Healthy')], 'True'],
      ['gone', [item('near', 'Healthy'), item('zero', 'Unknown')], 'True'],
      ['stale', [item('zero', 'Unknown', behind)], 'False'],
      ['sick', [item('near', 'Unhealthy')], 'True'],
    ] as const) {
      const { metadata, spec } = binding(name);
      const resource = { ...spec.resource, namespace: 'lost' };
      const object = { metadata: { ...metadata, namespace: 'lost' }, spec: { resource } };
      await create(ResourceBinding, object, {
        aggregatedStatus: items,
        conditions: [
          condition('Scheduled', 'True', 'Success'),
          condition('FullyApplied', isApplied, 'Test'),
        ],
      });
    }
    const { stdout } = await stage.run(['status', '-n', 'lost']);
    assert.match(
      stdout,
      /Work: 4 bindings: 4 placed, 1 of them not yet applied everywhere, 3 not well, 2 of unknown health, 0 wait/,
    );
    assert.match(stdout, /Deployment lost\/gone +ClusterUnreachable +nothing is heard of zero\n/);
    assert.match(stdout, /Deployment lost\/stale +\S+ .*the cluster is not ready\n/);
    assert.match(stdout, /Deployment lost\/sick +Unhealthy +it is not well in near\n/);
    assert.doesNotMatch(stdout, /lost\/fine/);
  });

  it('lists claims without data, and closed queues in which work waits', async () => {
    await create(
      DataSourceClaim,
      {
        metadata: { namespace: 'shop', name: 'sales' },
        spec: {
          system: 'hive',
          dataSourceType: 'table',
          dataSourceName: 'db.sales',
          workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        },
      },
      { phase: 'Pending', conditions: [condition('Bound', 'False', 'NoMatchingSource', 2)] },
    );
    const annotations = { 'queue.perigee.io/closed': 'true' };
    await create(Queue, { metadata: { name: 'night', annotations }, spec: {} }, { pending: 2 });
    const { stdout } = await stage.run(['status']);
    assert.match(stdout, /Data, queues and triggers: 2 problems\n/);
    assert.match(
      stdout,
      /DataSourceClaim shop\/sales +\S+ +NoMatchingSource +NoMatchingSource is why/,
    );
    assert.match(stdout, /Queue night +\S+ +QueueClosed +it is closed, and 2 workloads wait in it/);
  });

  it('lists operations that do not get on by themselves, and not those that wait as they should', async () => {
    const { client } = stage.server;
    await client.create(Namespace, { metadata: { name: 'flows' } });
    for (const [name, type, reason] of [
      ['orphan', 'Started', 'PredecessorMissing'],
      ['played', 'Placed', 'NoExecutor'],
      ['patient', 'Started', 'WaitingForOperation'],
      ['paused', 'Started', 'Suspended'],
    ] as const) {
      const dataset = { name: 'lake', namespace: 'flows' };
      const conditions = [
        { ...condition(type, 'False', reason), lastProbeTime: formatTime(Date.now()) },
      ];
      const status = { phase: 'Pending', duration: 'Unfinished', conditions };
      await create(DataLoad, { metadata: { namespace: 'flows', name }, spec: { dataset } }, status);
    }
    for (const [name, message] of [
      ['mounting', 'secret "keys" not found'],
      ['copying', undefined],
    ]) {
      const dataset = { name: 'lake', namespace: 'flows' };
      const clusters = [{ name: 'near', phase: 'Executing', ...(message && { message }) }];
      const status = { phase: 'Executing', duration: 'Unfinished', conditions: [], clusters };
      await create(DataLoad, { metadata: { namespace: 'flows', name }, spec: { dataset } }, status);
    }
    const { stdout } = await stage.run(['status', '-n', 'flows']);
    assert.match(stdout, /Data, queues and triggers: 3 problems\n/);
    assert.match(stdout, /DataLoad flows\/mounting +\S+ +Stalled +near: secret "keys" not found/);
    assert.match(
      stdout,
      /DataLoad flows\/orphan +\S+ +PredecessorMissing +PredecessorMissing is why/,
    );
    assert.match(stdout, /DataLoad flows\/played +\S+ +NoExecutor +NoExecutor is why/);
  });

  it('counts work that runs as placed, also when more is wanted of it or it goes along with other work', async () => {
    const { client } = stage.server;
    await client.create(Namespace, { metadata: { name: 'runs' } });
    const inRuns = (name: string, fields: object) => {
      const { metadata, spec } = binding(name);
      const resource = { ...spec.resource, namespace: 'runs' };
      return { metadata: { ...metadata, namespace: 'runs' }, spec: { resource, ...fields } };
    };
    await create(ResourceBinding, inRuns('grows', { clusters: [{ name: 'near', replicas: 2 }] }), {
      conditions: [condition('Scheduled', 'False', 'Unschedulable', 2)],
    });
    await create(ResourceBinding, inRuns('dataless', { clusters: [{ name: 'near' }] }), {
      conditions: [
        condition('Admitted', 'False', 'WaitingForData', 1),
        condition('Scheduled', 'True', 'Success', 3),
      ],
    });
    const requiredBy = [{ name: 'web', namespace: 'runs', clusters: [{ name: 'near' }] }];
    await client.create(ResourceBinding, inRuns('attached', { requiredBy }) as never);
    const { stdout } = await stage.run(['status', '-n', 'runs']);
    assert.match(
      stdout,
      /Work: 3 bindings: 3 placed, .*2 unable to become what is wanted now, 0 waiting\n/,
    );
    assert.match(
      stdout,
      /Work that stays where it is: .*\n.*\n +Deployment runs\/grows +\S+ +Unschedulable /,
    );
    assert.match(stdout, /\n +Deployment runs\/dataless +\S+ +WaitingForData /);
    assert.doesNotMatch(stdout, /undecided|Held/);
  });

  it('counts work that its queue has taken back as held, though it was scheduled before', async () => {
    const { client } = stage.server;
    await client.create(Namespace, { metadata: { name: 'taken' } });
    const { metadata, spec } = binding('back');
    const gracefulEvictionTasks = [
      { fromCluster: 'near', producer: 'Dispatcher', reason: 'Preempted', purgeMode: 'Directly' },
    ];
    const taken = {
      metadata: { ...metadata, namespace: 'taken' },
      spec: { ...spec, resource: { ...spec.resource, namespace: 'taken' }, gracefulEvictionTasks },
    };
    await create(ResourceBinding, taken, {
      conditions: [
        condition('Admitted', 'False', 'Preempted'),
        condition('Scheduled', 'True', 'Success', 3),
      ],
    });
    const { stdout } = await stage.run(['status', '-n', 'taken']);
    assert.match(stdout, /Work: 1 binding: 0 placed, 1 waiting\n/);
    assert.match(stdout, /Held work: 1 Preempted;.*\n.*\n +Deployment taken\/back /);
    assert.doesNotMatch(stdout, /stays where it is/);
    await client.delete(ResourceBinding, { namespace: 'taken', name: metadata.name });
  });

  it('says which controllers fail, with what and why', async () => {
    const { troubles } = stage.server;
    assert.match((await stage.run(['status'])).stdout, /\nControllers: all work\n$/);
    const subject = { controller: 'binding', object: 'shop/web-deployment', problem: 'failing' };
    for (let times = 0; times < 3; times++) {
      troubles.note(subject as never, new Error('override policy p: it holds no document'));
    }
    troubles.of('member1').note({ ...subject, controller: 'kubelet' } as never, 'no such node');
    const { stdout } = await stage.run(['status']);
    assert.match(stdout, /\nControllers: 2 problems\n/);
    assert.match(
      stdout,
      / {2}binding +shop\/web-deployment +\S+ +failing, 3× +override policy p: it holds no document\n/,
    );
    assert.match(stdout, / {2}kubelet in member1 +shop\/web-deployment .*no such node\n/);
    const { controllers } = JSON.parse((await stage.run(['status', '-o', 'json'])).stdout);
    assert.equal(controllers.total, 2);
    assert.equal(controllers.troubles[0].message, 'override policy p: it holds no document');
    troubles.end(new Set(['binding']));
    troubles.of('member1').end(new Set(['kubelet']));
  });

  it('names only as many as it was asked to, and counts the rest', async () => {
    const { stdout } = await stage.run(['status', '--limit', '1']);
    assert.match(stdout, /zero .*\n {2}… and 1 more: "perigee list clusters"\n/);
    assert.match(stdout, /shop\/old .*\n {2}… and 3 more/);
    assert.doesNotMatch(stdout, /shop\/middle/);
    assert.equal((await stage.run(['status', '--limit', 'few'])).code, 2);
  });

  it('tells programs the same, and one namespace alone', async () => {
    const { stdout } = await stage.run(['status', '-n', 'default', '-o', 'json']);
    const { clusters, work } = JSON.parse(stdout);
    assert.deepEqual([clusters.total, clusters.ready], [2, 1]);
    assert.deepEqual(work, {
      total: 0,
      scheduled: 0,
      applied: 0,
      unknownHealth: 0,
      amiss: 0,
      unmet: 0,
      staying: [],
      doubtful: [],
      waiting: 0,
      reasons: {},
      held: [],
    });
  });

  it('shows it again when something changes', async (t) => {
    const env = { ...process.env, KUBECONFIG: stage.kubeconfig };
    const stdio = ['ignore', 'pipe', 'inherit'] as const;
    const child = spawn(process.execPath, [main, 'status', '-w'], { env, stdio: [...stdio] });
    t.after(() => child.kill());
    let seen = '';
    for await (const [chunk] of on(child.stdout, 'data')) {
      seen += chunk;
      if (/Clusters: 3,/.test(seen)) break;
      if (/Held work/.test(seen))
        await create(ClusterRecord, { metadata: { name: 'new' }, spec: {} }, {});
    }
    assert.match(seen, /^Clusters: 2,[\s\S]*\n\nClusters: 3,/);
  });
});
