import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { madeSource } from '@perigee/scheduling/data/provision/made-source';
import { openStage, type Stage } from './command-line.ts';

let stage: Stage;

const create = async <K extends ResourceKind>(kind: K, object: object, status: object = {}) => {
  const { client } = stage.server;
  const { metadata } = await client.create(kind, object as never);
  const ref = { name: metadata.name, ...(metadata.namespace && { namespace: metadata.namespace }) };
  await client.patch(kind, ref, { type: 'merge', body: { status } }, { subresource: 'status' });
};
const condition = (type: string, status: string, reason: string, message = reason) => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const cluster = (name: string, ready: string) =>
  create(
    MemberCluster,
    { metadata: { name }, spec: { syncMode: 'Push' } },
    { conditions: [condition('Ready', ready, 'Known')] },
  );
const claim = (name: string, spec: object, status: object) =>
  create(
    DataSourceClaim,
    {
      metadata: { namespace: 'default', name },
      spec: { system: 'hive', dataSourceType: 'table', ...spec },
    },
    status,
  );

describe('perigee data', () => {
  before(async () => {
    stage = await openStage();
    await cluster('m1', 'True');
    await cluster('m2', 'False');
    const locality = { clusterNames: ['m1', 'm2', 'gone'] };
    await create(
      DataSource,
      {
        metadata: { name: 'sales' },
        spec: { system: 'hive', type: 'table', name: 'db.sales', locality },
      },
      { boundClaims: 1 },
    );
    const question = { system: 'hive', dataSourceType: 'table', dataSourceName: 'db.clicks' };
    const made = madeSource(question, {
      locality: { clusterNames: ['m1'] },
      size: '3298534883328',
    });
    assert.ok('source' in made);
    await create(DataSource, made.source);
    const workload = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'report' };
    await claim(
      'sales',
      { dataSourceName: 'db.sales', workload },
      {
        phase: 'Bound',
        boundDataSource: 'sales',
        conditions: [condition('Bound', 'True', 'BindingSuccessful')],
      },
    );
    const workloadSelector = { matchLabels: { app: 'etl' } };
    await claim(
      'later',
      { dataSourceName: 'db.later', workloadSelector, preference: 7 },
      {
        phase: 'Pending',
        conditions: [
          condition('Bound', 'False', 'NoMatchingSource'),
          condition('Provisioned', 'False', 'DataNotFound', 'the job has not run'),
        ],
      },
    );
    const resource = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'default',
      name: 'etl',
    };
    await create(
      ResourceBinding,
      {
        metadata: { namespace: 'default', name: 'etl-deployment' },
        spec: { resource, replicas: 1, placement: {}, suspension: { scheduling: true } },
      },
      {
        conditions: [
          condition(
            'Admitted',
            'False',
            'WaitingForData',
            'waits for hive table db.later (claim later)',
          ),
        ],
      },
    );
  });
  after(() => stage[Symbol.asyncDispose]());

  it('lists sources with where they are, claims with their work, and who waits for what', async () => {
    const { stdout, code } = await stage.run(['data', '-o', 'wide']);
    assert.equal(code, 0);
    assert.match(stdout, /hive table db\.sales +m1, m2 \(not ready\) +1 +- +sales +somebody/);
    assert.match(
      stdout,
      /hive table db\.clicks +m1 +0 +3Ti +hive-table-db\.clicks-\w+ +a provisioner/,
    );
    assert.match(stdout, /default\/sales +hive table db\.sales +Deployment report +sales/);
    assert.match(
      stdout,
      /default\/later \(preference 7\) +hive table db\.later +app=etl +\w+ +DataNotFound +the job has not run/,
    );
  });

  it('says where some data is, by its name or its object’s, also for programs', async () => {
    const { stdout } = await stage.run(['data', 'whereis', 'db.sales', '-o', 'json']);
    const { sources, claims } = JSON.parse(stdout);
    assert.deepEqual(sources, [
      {
        source: 'sales',
        data: 'hive table db.sales',
        clusters: [
          { name: 'm1', isReady: true },
          { name: 'm2', isReady: false },
        ],
        claims: 1,
        isProvisioned: false,
      },
    ]);
    assert.deepEqual(
      claims.map((one: { claim: string }) => one.claim),
      ['sales'],
    );
    assert.match((await stage.run(['data', 'whereis', 'sales'])).stdout, /db\.sales/);
  });

  it('finds the data of a Dataset by the name of the Dataset', async () => {
    await stage.server.client.create(DataSource, {
      metadata: { name: 'fluid-dataset.default.lake' },
      spec: {
        system: 'fluid',
        type: 'dataset',
        name: 'default/lake',
        locality: { clusterNames: ['m1'] },
      },
    });
    const { code, stdout } = await stage.run(['data', 'whereis', 'lake']);
    assert.equal(code, 0);
    assert.match(stdout, /fluid dataset default\/lake +m1 /);
    await stage.server.client.delete(DataSource, { name: 'fluid-dataset.default.lake' });
  });

  it('lists provisioners with how they fare', async () => {
    const empty = await stage.run(['data', 'provisioners']);
    assert.match(empty.stdout, /No provisioner is configured: see the ConfigMap volcano-global/);
    const { client } = stage.server;
    await client.create(Namespace, { metadata: { name: 'volcano-global' } });
    const at = (url: string) => JSON.stringify({ endpoint: { url } });
    await client.create(ConfigMap, {
      metadata: { namespace: 'volcano-global', name: 'volcano-global-datasource-plugins' },
      data: {
        hive: at('http://127.0.0.1:1'),
        idle: at('http://127.0.0.1:2'),
        s3: at('http://127.0.0.1:3'),
        wrong: '{"endpoint":{}}',
      },
    });
    const message = 'the provisioner answered with status 503';
    const workloadSelector = {};
    await claim(
      'bucket',
      { system: 's3', dataSourceName: 'models', workloadSelector },
      {
        phase: 'Pending',
        conditions: [condition('Provisioned', 'False', 'ProvisionerUnavailable', message)],
      },
    );
    const { stdout } = await stage.run(['data', 'provisioners', '-o', 'wide']);
    assert.match(stdout, /hive +webhook +Answering +1 +1/);
    assert.match(stdout, /idle +webhook +NotAskedYet +0 +0/);
    assert.match(stdout, /s3 +webhook +Failing +0 +1 +the provisioner answered with status 503/);
    assert.match(stdout, /wrong +- +Misconfigured +0 +0 +.*endpoint\.url/);
    const json = await stage.run(['data', 'provisioners', '-o', 'json']);
    assert.deepEqual(JSON.parse(json.stdout)[0], {
      system: 'hive',
      plugin: 'webhook',
      state: 'Answering',
      sources: 1,
      waiting: 1,
    });
    await client.delete(DataSourceClaim, { namespace: 'default', name: 'bucket' });
  });

  it('says of data that nobody knows who waits for it', async () => {
    const { code, stderr } = await stage.run(['data', 'whereis', 'db.later']);
    assert.equal(code, 3);
    assert.match(stderr, /no DataSource says where db\.later is; the claim default\/later waits/);
    assert.match(stderr, /the job has not run/);
  });

  it('status and explain say which data held work waits for', async () => {
    const { stdout } = await stage.run(['status', '-o', 'wide']);
    assert.match(
      stdout,
      /etl +\w+ +WaitingForData +waits for hive table db\.later \(claim later\)/,
    );
    const explained = await stage.run(['explain', 'rb/etl-deployment', '-o', 'json']);
    const { state, findings } = JSON.parse(explained.stdout);
    assert.equal(state, 'held');
    const reasons = findings.map(({ reason }: { reason: string }) => reason);
    assert.ok(reasons.includes('WaitingForData'), reasons.join());
    const told = await stage.run(['explain', 'rb/etl-deployment']);
    assert.match(
      told.stdout,
      /data +WaitingForData +holds it back +claim.* waits for hive table db\.later/,
    );
  });
});
