import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Queue } from '@perigee/api/kinds/queues/queue';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { Job } from '@perigee/kubernetes/batch/job';
import { openStage, type Stage } from './command-line.ts';

let stage: Stage;

const patchStatus = (
  kind: ResourceKind,
  ref: { name: string; namespace?: string },
  status: object,
) =>
  stage.server.client.patch(
    kind,
    ref,
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  );

const addQueue = async (name: string, spec: object = {}, status: object = {}) => {
  await stage.server.client.create(Queue, { metadata: { name }, spec } as never);
  await patchStatus(Queue, { name }, { state: 'Open', ...status });
};

/** Creates a Job with a CPU request, and its binding as the detector writes it. */
const addJob = async (
  name: string,
  queue: string | undefined,
  cpu: string,
  more: object = {},
  pod: object = {},
) => {
  const { client } = stage.server;
  const namespace = 'default';
  const labels = queue === undefined ? {} : { 'volcano.sh/queue-name': queue };
  const resources = { requests: { cpu } };
  const containers = [{ name: 'm', image: 'i', resources }];
  await client.create(Job, {
    metadata: { namespace, name, labels },
    spec: { template: { spec: { restartPolicy: 'Never', containers, ...pod } } },
  } as never);
  await client.create(ResourceBinding, {
    metadata: { namespace, name: `${name}-job` },
    spec: {
      resource: { apiVersion: 'batch/v1', kind: 'Job', namespace, name },
      replicas: 1,
      replicaRequirements: { resourceRequest: { cpu } },
      placement: {
        replicaScheduling: {
          replicaSchedulingType: 'Divided',
          replicaDivisionPreference: 'Aggregated',
        },
      },
      ...more,
    },
  } as never);
};

const addMember = async (name: string) => {
  const { client } = stage.server;
  await client.create(MemberCluster, { metadata: { name: name }, spec: { syncMode: 'Push' } });
  await patchStatus(
    MemberCluster,
    { name: name },
    {
      apiEnablements: [{ groupVersion: 'batch/v1', resources: [{ name: 'jobs', kind: 'Job' }] }],
      resourceSummary: { allocatable: { cpu: '8', memory: '8Gi', pods: '110' } },
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Test',
          message: '',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    },
  );
};

describe('perigee queue', () => {
  before(async () => {
    stage = await openStage();
    await addMember('m1');
    await addQueue('root');
    await addQueue('default');
    await addQueue('science', { deserved: { cpu: '1' } }, { allocated: { cpu: '2', pods: '1' } });
    await addQueue(
      'physics',
      { parent: 'science', capability: { cpu: '3' } },
      { pending: 2, running: 1, allocated: { cpu: '2', pods: '1' } },
    );
    await addJob('runs', 'physics', '2', { clusters: [{ name: 'm1', replicas: 1 }] });
    await addJob('first', 'physics', '2');
    await addJob('second', 'physics', '4');
    await addJob('free', undefined, '1');
    await addJob('classy', 'physics', '4', {}, { priorityClassName: 'gold' });
  });
  after(() => stage[Symbol.asyncDispose]());

  it('shows the tree, with what each has and what waits', async () => {
    const { code, stdout } = await stage.run(['queue']);
    assert.equal(code, 0);
    const lines = stdout.trimEnd().split('\n');
    const ages = lines.map((line) => line.replace(/\d+s$/, 'AGE').split(/ {2,}/).join('|'));
    assert.deepEqual(ages, [
      'QUEUE|STATE|SHARE|GUARANTEE|USED|BORROWED|RUNNING|PENDING|OLDEST',
      'root|Open|0%|-|-|-|1|2|AGE',
      '|default|Open|0%|-|-|-|0|0|-',
      '|science|Open|25%|-|cpu 2|cpu 1|1|2|AGE',
      '|physics|Open|25%|-|cpu 2|-|1|2|AGE',
    ]);
    const json = JSON.parse((await stage.run(['queue', '-o', 'json'])).stdout);
    assert.deepEqual(json[3].capability, { cpu: '3' });
  });

  it('says why work waits, as things are now', async () => {
    const why = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await stage.run(['queue', 'why', ...args]);
      return `${code} ${stdout}${stderr}`.replaceAll(/for \d+s/g, 'for AGE');
    };
    assert.equal(
      await why('first'),
      [
        '0 Job default/first waits in the queue physics for AGE.',
        'WaitingForQuota: waits in the queue physics: it asks for cpu 2, cpu 1 more than is left of the capability of the queue physics, cpu 3.',
        'It is number 1 of 3 in line.',
        'It asks for cpu 2, pods 1.',
        'The queue physics uses cpu 2, pods 1 of at most cpu 3.',
        '',
      ].join('\n'),
    );
    assert.match(
      await why('job/second'),
      /NeverFits: it asks for cpu 4, cpu 1 more than the whole capability of the queue physics, cpu 3/,
    );
    assert.match(await why('jobs.batch/second'), /NeverFits: /);
    assert.match(await why('job.batch.volcano.sh/second'), /^3 .*no policy propagates/);
    assert.match(
      await why('classy'),
      /\nThere is no priority class gold: it waits like work that names none\.\n/,
    );
    assert.match(await why('runs'), /^0 Job default\/runs is let through by the queue physics/);
    assert.match(await why('free'), /^0 Job default\/free is in no queue: it was put into none/);
    assert.match(await why('nothing'), /^3 .*no policy propagates nothing/);
    const { stdout } = await stage.run(['queue', 'why', 'first', '-o', 'json']);
    const { reason, position, inLine } = JSON.parse(stdout);
    assert.deepEqual([reason, position, inLine], ['WaitingForQuota', 1, 3]);
  });

  it('says of what can be in no queue why that is so', async () => {
    const { client } = stage.server;
    const bound = (resource: object) => ({ spec: { resource, placement: {} } });
    await client.create(ResourceBinding, {
      metadata: { namespace: 'default', name: 'settings-configmap' },
      ...bound({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'settings' }),
    } as never);
    await client.create(ClusterResourceBinding, {
      metadata: { name: 'fleet-operator' },
      ...bound({ apiVersion: 'example.org/v1', kind: 'Operator', name: 'fleet' }),
    } as never);
    const why = async (target: string) => (await stage.run(['queue', 'why', target])).stdout;
    assert.match(
      await why('settings'),
      /^ConfigMap default\/settings is in no queue: it runs no pods/,
    );
    assert.match(
      await why('operator/fleet'),
      /^Operator fleet is in no queue: it has no namespace/,
    );
  });

  it('counts every copy of work that goes to several clusters', async () => {
    await addMember('m2');
    const placement = { replicaScheduling: { replicaSchedulingType: 'Duplicated' } };
    await addJob('everywhere', 'physics', '2', { placement });
    const { stdout } = await stage.run(['queue', 'why', 'everywhere']);
    assert.match(stdout, /it asks for cpu 4, cpu 1 more than the whole capability/);
    assert.match(
      stdout,
      /It asks for cpu 4, pods 2: a copy goes to each cluster, and asks for cpu 2, pods 1\./,
    );
  });

  it('closes and opens queues', async () => {
    const closed = await stage.run(['queue', 'close', 'physics']);
    assert.equal(closed.stdout, 'queue physics closed\n');
    const { stdout } = await stage.run(['queue', 'why', 'first']);
    assert.match(stdout, /QueueClosed: the queue physics is closed/);
    await stage.run(['queue', 'open', 'physics']);
    const { metadata } = await stage.server.client.get(Queue, { name: 'physics' });
    assert.equal(metadata.annotations?.['queue.perigee.io/closed'], undefined);
    assert.equal((await stage.run(['queue', 'close', 'nobody'])).code, 3);
  });
});
