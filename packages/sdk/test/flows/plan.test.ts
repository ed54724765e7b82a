import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '@perigee/apiserver/embedded/embedded-server';
import type { Client } from '@perigee/kube/client/client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ApiError } from '@perigee/kube/errors';
import type { ControlPlane } from '../../src/connection.ts';
import { flow } from '../../src/flows/flow.ts';
import type { FlowPlan } from '../../src/flows/flow-plan.ts';
import { NAMESPACE, perigeeOver, withMethods } from '../perigee-over.ts';

const TIME = '2026-01-01T00:00:00Z';
const READY = { type: 'Ready', status: 'True', reason: 'Known', message: '' };

const whereOf = ({ steps }: FlowPlan): readonly string[] =>
  steps.map(({ step, clusters, reason }) => `${step} ${clusters.join('+')} ${reason}`);

describe('the plan of a flow', () => {
  let server: EmbeddedServer;
  let client: Client;

  const create = async (kind: ResourceKind, object: object, status?: object): Promise<void> => {
    const { metadata } = await client.create(kind, object as never);
    const ref = {
      ...('namespace' in metadata ? { namespace: NAMESPACE } : {}),
      name: metadata.name,
    };
    if (status === undefined) return;
    await client.patch(kind, ref, { type: 'merge', body: { status } }, { subresource: 'status' });
  };
  const here = (name: string) => ({ namespace: NAMESPACE, name });
  const cluster = (name: string, labels: object = {}): Promise<void> =>
    create(
      MemberCluster,
      { metadata: { name, labels }, spec: { syncMode: 'Push' } },
      {
        conditions: [{ ...READY, lastTransitionTime: TIME }],
        apiEnablements: [
          { groupVersion: 'batch/v1', resources: [{ name: 'jobs', kind: 'Job' }] },
          { groupVersion: 'v1', resources: [{ name: 'configmaps', kind: 'ConfigMap' }] },
        ],
        resourceSummary: { allocatable: { cpu: '8', memory: '64Gi', pods: '110' } },
      },
    );

  before(async () => {
    server = await startEmbeddedServer({ clock });
    ({ client } = server);
    await cluster('m1');
    await cluster('m2', { zone: 'b' });
    const copy = { name: 'm2', state: 'Complete', bytes: 10, files: 1, time: TIME };
    await create(Dataset, { metadata: here('there'), spec: {} }, { clusters: [copy] });
    const mounts = [{ mountPoint: 's3://bucket/raw' }];
    await create(Dataset, { metadata: here('raw'), spec: { mounts } });
  });
  after(() => server[Symbol.asyncDispose]());

  const planOf = (described: { plan(on: ControlPlane): Promise<FlowPlan> }, by = client) =>
    described.plan(perigeeOver(by));

  it('runs a step where its data is, and those after it there, too', async () => {
    const plan = await planOf(
      flow('near')
        .process(() => 1, { dataset: 'there', produces: ['made'] })
        .process(() => 2, { name: 'then', dataset: 'made' }),
    );
    assert.deepEqual(plan.problems, []);
    assert.deepEqual(whereOf(plan), ['process m2 WhereDatasetIs', 'then m2 WhereDatasetIs']);
    assert.deepEqual(
      plan.steps.map(({ after }) => after),
      [[], ['process']],
    );
    const [title, header, first] = `${plan}`.split('\n');
    assert.equal(title, 'Flow near in default');
    assert.match(header ?? '', /^STEP +KIND +AFTER +WHERE +WHY$/);
    assert.match(first ?? '', /^process +DataProcess +- +m2 +WhereDatasetIs: /);
  });

  it('follows the policy that selects the operation', async () => {
    await create(PropagationPolicy, {
      metadata: here('loads'),
      spec: {
        resourceSelectors: [{ apiVersion: `${DataLoad.group}/v1alpha1`, kind: 'DataLoad' }],
        placement: { clusterAffinity: { clusterNames: ['m2'] } },
      },
    });
    const plan = await planOf(flow('chosen').load({ dataset: 'raw' }));
    assert.equal(plan.steps[0]?.clusters.join(), 'm2');
    assert.match(plan.steps[0]?.message ?? '', /loads/);
    await client.delete(PropagationPolicy, here('loads'));
  });

  it('loads where work waits for the data by a claim', async () => {
    const workload = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    await create(DataSourceClaim, {
      metadata: here('web'),
      spec: {
        system: 'fluid',
        dataSourceType: 'dataset',
        dataSourceName: `${NAMESPACE}/raw`,
        workload,
      },
    });
    await create(ResourceBinding, {
      metadata: here('web-deployment'),
      spec: {
        resource: { ...workload, namespace: NAMESPACE },
        placement: { clusterAffinity: { clusterNames: ['m1'] } },
      },
    });
    const plan = await planOf(flow('for-work').load({ dataset: 'raw' }));
    assert.deepEqual(whereOf(plan), ['load m1 WhereClaimsWait']);
    assert.match(plan.steps[0]?.message ?? '', /Deployment web/);
    await client.delete(DataSourceClaim, here('web'));
  });

  it('says why a step can run nowhere, and what keeps the flow from running', async () => {
    const placement = { clusterAffinity: { clusterNames: ['m9'] } };
    const plan = await planOf(
      flow('nowhere')
        .load({ dataset: 'raw', placement } as never)
        .load({
          name: 'lost',
          dataset: 'missing',
        }),
    );
    assert.deepEqual(plan.steps[0]?.clusters, []);
    assert.equal(plan.steps[0]?.reason, 'NoCluster');
    assert.match(`${plan}`, /nowhere/);
    assert.match(`${plan}`, /problem: lost: there is no Dataset missing/);
  });

  it('names an operation of another flow that a step runs after', async () => {
    await create(
      DataLoad,
      { metadata: here('before'), spec: { dataset: { name: 'raw' } } },
      { phase: 'Complete', duration: '1s', clusters: [{ name: 'm1', phase: 'Complete' }] },
    );
    const after = {
      kind: 'DataLoad',
      name: 'before',
      affinityStrategy: { policy: 'Require' },
    } as const;
    const plan = await planOf(flow('joined').process(() => 1, { dataset: 'raw', after }));
    assert.deepEqual(plan.steps[0]?.after, ['DataLoad/before']);
    assert.deepEqual(plan.steps[0]?.clusters, ['m1']);
  });

  it('plans without the clusters for who may not list them, and fails when the server does', async () => {
    const listing = (code: number, reason: string, of: readonly ResourceKind[]) =>
      withMethods(client, {
        list: (async (kind: ResourceKind, options: object) => {
          if (of.some(({ plural }) => plural === kind.plural)) {
            throw new ApiError({ code, reason, message: 'no' });
          }
          return client.list(kind, options);
        }) as never,
      });
    const described = flow('blind').load({ dataset: 'raw' });
    const hidden = [MemberCluster, ResourceBinding, PropagationPolicy];
    const plan = await planOf(described, listing(403, 'Forbidden', hidden));
    assert.deepEqual(whereOf(plan), ['load  Unknown']);
    await assert.rejects(planOf(described, listing(500, 'InternalError', [MemberCluster])));
    await assert.rejects(planOf(described, listing(500, 'InternalError', [ResourceBinding])));
  });
});
