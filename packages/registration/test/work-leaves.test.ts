import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Work } from '@perigee/api/kinds/placement/work';
import type { EmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import type { Client } from '@perigee/kube/client/client';
import { isAlreadyExists } from '@perigee/kube/errors';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { unregisterCluster } from '../src/operations/unregister-cluster.ts';
import { startInventory } from './inventory-fixture.ts';

const SPACE = 'karmada-es-m1';
const POLICY = {
  'propagationpolicy.karmada.io/namespace': 'default',
  'propagationpolicy.karmada.io/name': 'all',
};
const LABEL = { 'propagationpolicy.karmada.io/permanent-id': 'p' };

describe('work on a cluster that is unregistered', () => {
  let server: EmbeddedServer;
  let client: Client;

  before(async () => {
    server = await startInventory();
    ({ client } = server);
    await client.create(Namespace, { metadata: { name: SPACE } });
    for (const name of ['m1', 'm2']) {
      await client.create(MemberCluster, { metadata: { name }, spec: { syncMode: 'Push' } });
      const status = {
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            reason: 'Known',
            message: '',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
        apiEnablements: [
          { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
          {
            groupVersion: 'rbac.authorization.k8s.io/v1',
            resources: [{ name: 'clusterroles', kind: 'ClusterRole' }],
          },
        ],
        resourceSummary: { allocatable: { cpu: '8', memory: '64Gi', pods: '110' } },
      };
      const patch = { type: 'merge', body: { status } } as const;
      await client.patch(MemberCluster, { name }, patch, { subresource: 'status' });
    }
  });
  after(() => server[Symbol.asyncDispose]());

  beforeEach(async () => {
    await client.deleteCollection(Work, { namespace: SPACE });
    await client.deleteCollection(ResourceBinding, { namespace: 'default' });
    await client.deleteCollection(ClusterResourceBinding);
    const record = { metadata: { name: 'm1' }, spec: { type: 'virtual' } } as const;
    await client.create(ClusterRecord, record).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  });

  const work = (name: string, annotations: object, spec: object = {}): Promise<unknown> =>
    client.create(Work, { metadata: { namespace: SPACE, name, annotations }, spec } as never);

  const ofBinding = (name: string) => ({
    'resourcebinding.karmada.io/namespace': 'default',
    'resourcebinding.karmada.io/name': name,
  });

  /** A Deployment on m1, with its Work there. */
  const deployment = async (
    name: string,
    placement: Placement,
    more: { readonly spec?: object; readonly annotations?: object; readonly labels?: object } = {},
  ): Promise<void> => {
    const { annotations = POLICY, labels = LABEL } = more;
    await client.create(ResourceBinding, {
      metadata: { namespace: 'default', name, annotations, labels },
      spec: {
        resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name },
        replicas: 1,
        clusters: [{ name: 'm1', replicas: 1 }],
        placement,
        ...more.spec,
      },
    } as never);
    await work(name, ofBinding(name));
  };

  const anywhere = (...clusterNames: readonly string[]): Placement => ({
    clusterAffinity: { clusterNames },
  });

  /** The sentence of the refusal, up to its advice. */
  const whyNot = async (): Promise<string> => {
    const error = await unregisterCluster(client, { name: 'm1' }, { dryRun: true }).then(
      () => assert.fail('it left'),
      (reason: unknown) => reason as Error,
    );
    return error.message.replace(/^.*go anywhere else: |\. Let it go elsewhere.*$/g, '');
  };

  it('is counted, as far as the scheduler could place it elsewhere', async () => {
    await deployment('web', anywhere('m1', 'm2'));
    await deployment('api', anywhere('m1', 'm2'));
    const left = await unregisterCluster(client, { name: 'm1' }, { dryRun: true });
    assert.equal(left.moving, 2);
    await client.get(ClusterRecord, { name: 'm1' });
    const { outcome, moving } = await unregisterCluster(client, { name: 'm1' });
    assert.deepEqual([outcome, moving], ['removed', 2]);
  });

  it('keeps it when it fits nowhere else, with the reason of the scheduler', async () => {
    await deployment('stuck', anywhere('m1'));
    assert.match(await whyNot(), /^Deployment default\/stuck \(\w+: /);
  });

  it('keeps it when no scheduler decides about it', async () => {
    const suspension = { scheduling: true };
    await deployment('held', anywhere('m1', 'm2'), { spec: { suspension } });
    assert.equal(await whyNot(), 'Deployment default/held (its scheduling is suspended)');
  });

  it('lets go what follows by itself: a dependency, and a binding that is gone', async () => {
    await deployment('config', anywhere('m1'), { spec: { clusters: [{ name: 'm2' }] } });
    await work('orphan', ofBinding('gone'));
    const left = await unregisterCluster(client, { name: 'm1' }, { dryRun: true });
    assert.equal(left.moving, 2);
  });

  it('keeps what a user has written into it by hand, and counts no empty Work', async () => {
    await work('empty', {});
    assert.equal((await unregisterCluster(client, { name: 'm1' }, { dryRun: true })).moving, 0);
    const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } };
    await work('mine', {}, { workload: { manifests: [manifest] } });
    assert.equal(await whyNot(), `Work ${SPACE}/mine (no binding could move it)`);
  });

  it('counts what has no namespace', async () => {
    const name = 'reader';
    await client.create(ClusterResourceBinding, {
      metadata: {
        name,
        annotations: { 'clusterpropagationpolicy.karmada.io/name': 'all' },
        labels: { 'clusterpropagationpolicy.karmada.io/permanent-id': 'c' },
      },
      spec: {
        resource: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name },
        clusters: [{ name: 'm1' }],
        placement: anywhere('m1', 'm2'),
      },
    } as never);
    await work(name, { 'clusterresourcebinding.karmada.io/name': name });
    assert.equal((await unregisterCluster(client, { name: 'm1' }, { dryRun: true })).moving, 1);
  });

  it('is judged beside the groups of other work, as the scheduler would', async () => {
    const spec = { workloadAffinityGroups: { affinityGroup: 'app=shop' } };
    await deployment('front', anywhere('m1', 'm2'), { spec });
    assert.equal((await unregisterCluster(client, { name: 'm1' }, { dryRun: true })).moving, 1);
    await deployment('back', anywhere('m1', 'm2'), { spec });
    assert.match(
      await whyNot(),
      /^Deployment default\/back \(.*same affinity group.*default\/front \(/,
    );
  });

  it('names five, and counts the rest', async () => {
    for (const at of [1, 2, 3, 4, 5, 6, 7]) await deployment(`stuck-${at}`, anywhere('m1'));
    const why = await whyNot();
    assert.equal(why.match(/Deployment default/g)?.length, 5);
    assert.match(why, /, and 2 more$/);
  });
});
