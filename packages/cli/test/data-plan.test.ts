import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { openStage, type Stage } from './command-line.ts';

const GIB = 2 ** 30;
let stage: Stage;

const create = async <K extends ResourceKind>(kind: K, object: object, status: object = {}) => {
  const { client } = stage.server;
  const { metadata } = await client.create(kind, object as never);
  const ref = { name: metadata.name, ...(metadata.namespace && { namespace: metadata.namespace }) };
  await client.patch(kind, ref, { type: 'merge', body: { status } }, { subresource: 'status' });
};
const ready = {
  type: 'Ready',
  status: 'True',
  reason: 'Known',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};
const apiEnablements = [
  { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
];
const cluster = (name: string, cpu: string) =>
  create(
    MemberCluster,
    {
      metadata: { name, annotations: { 'member.perigee.io/pods': 'processes' } },
      spec: { syncMode: 'Push' },
    },
    {
      conditions: [ready],
      apiEnablements,
      resourceSummary: { allocatable: { cpu, memory: '64Gi', pods: '110' } },
    },
  );
const here = (name: string) => ({ namespace: 'default', name });

describe('perigee data plan', () => {
  before(async () => {
    stage = await openStage();
    await cluster('m1', '1');
    await cluster('m2', '64');
    const egress = [{ to: 'm2', pricePerGiB: '0.1', bytesPerSecond: '100Mi' }];
    await create(ClusterRecord, {
      metadata: { name: 'm1' },
      spec: { type: 'virtual', dataTransfer: { egress } },
    });
    const copy = {
      name: 'm1',
      state: 'Complete',
      bytes: 20 * GIB,
      files: 3,
      time: '2026-01-01T00:00:00Z',
    };
    await create(Dataset, { metadata: here('raw'), spec: {} }, { clusters: [copy] });
    await create(DataSource, {
      metadata: { name: 'fluid-dataset.default.raw' },
      spec: {
        system: 'fluid',
        type: 'dataset',
        name: 'default/raw',
        locality: { clusterNames: ['m1'] },
      },
    });
    const workload = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'train' };
    const spec = {
      system: 'fluid',
      dataSourceType: 'dataset',
      dataSourceName: 'default/raw',
      workload,
    };
    await create(DataSourceClaim, { metadata: here('raw'), spec });
    const hive = {
      system: 'hive',
      dataSourceType: 'table',
      dataSourceName: 'db.x',
      workload: { ...workload, name: 'report' },
    };
    await create(DataSourceClaim, { metadata: here('table'), spec: hive });
    await create(ResourceBinding, {
      metadata: here('train-deployment'),
      spec: {
        resource: { ...workload, namespace: 'default' },
        replicas: 4,
        replicaRequirements: { resourceRequest: { cpu: '2' } },
        placement: {
          clusterAffinity: { clusterNames: ['m1', 'm2'] },
          replicaScheduling: {
            replicaSchedulingType: 'Divided',
            replicaDivisionPreference: 'Aggregated',
          },
        },
      },
    });
  });
  after(() => stage[Symbol.asyncDispose]());

  it('compares, names the best with its numbers, and prints the flow that does it', async () => {
    const { stdout, code } = await stage.run(['data', 'plan', 'raw', '-o', 'wide']);
    assert.equal(code, 0);
    assert.match(stdout, /Deployment train needs the data of the claim raw/);
    assert.match(stdout, /copy the data +m2 +m1 +20GiB +100MiB\/s \(limit\) +3m25s +2 /);
    assert.match(stdout, /wait for room where the data is +m1 +- +- +- +unknown +0 /);
    assert.match(stdout, /Best: copy the data from m1 to m2: 3m25s, for 2\./);
    assert.match(stdout, /kind: DataLoad[\s\S]*name: raw-to-m2[\s\S]*clusterNames:\s+- m2/);
    const { items } = await stage.server.client.list(DataLoad, { namespace: 'default' });
    assert.deepEqual(items, [], 'nothing moves by itself');
  });

  it('goes by money if asked to, and gives programs the same', async () => {
    const { stdout } = await stage.run(['data', 'plan', 'raw', '--by', 'money', '-o', 'json']);
    const { best, flow } = JSON.parse(stdout);
    assert.deepEqual([best.does, best.clusters, best.cost, flow], ['Wait', ['m1'], 0, []]);
  });

  it('starts what is best, once', async () => {
    const { stderr, code } = await stage.run(['data', 'plan', 'raw', '--apply']);
    assert.equal(code, 0);
    assert.match(stderr, /started: perigee flow show dataload\/raw-to-m2/);
    const { spec } = await stage.server.client.get(DataLoad, here('raw-to-m2'));
    assert.deepEqual(spec.placement, { clusterAffinity: { clusterNames: ['m2'] } });
    const again = await stage.run(['data', 'plan', 'raw', '--apply']);
    assert.equal(again.code, 5);
    assert.match(again.stderr, /there is a DataLoad raw-to-m2 already/);
  });

  it('says what is wrong with a name, and why nothing can be done', async () => {
    const none = await stage.run(['data', 'plan', 'nothing']);
    assert.equal(none.code, 3);
    assert.match(none.stderr, /there is no DataSourceClaim nothing in the namespace default/);
    const table = await stage.run(['data', 'plan', 'table']);
    assert.equal(table.code, 3);
    assert.match(table.stdout, /no cluster has the data, and it is no Dataset/);
  });
});
