import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '@perigee/apiserver/embedded/embedded-server';
import { realClock } from '@perigee/kube/clock/real-clock';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { formatTime } from '@perigee/schema/values/time';
import { perigee } from '../command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'perigee-explain-'));
const kubeconfig = join(folder, 'kubeconfig');
let server: EmbeddedServer;

const explain = (...args: readonly string[]) =>
  perigee(['explain', ...args], { KUBECONFIG: kubeconfig });

const addCluster = async (name: string, spec: object, cpu: string) => {
  const { client } = server;
  await client.create(MemberCluster, {
    metadata: { name },
    spec: { syncMode: 'Push', ...spec },
  } as never);
  const served = [
    { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
  ];
  const status = {
    apiEnablements: served,
    resourceSummary: { allocatable: { cpu, pods: '110' } },
  };
  const options = { subresource: 'status' };
  await client.patch(MemberCluster, { name }, { type: 'merge', body: { status } }, options);
};

before(async () => {
  const adminKubeconfig = kubeconfig;
  server = await startEmbeddedServer({ clock: realClock, access: 'rbac', adminKubeconfig });
  await addCluster('near', {}, '8');
  await addCluster('far', {}, '4');
  await addCluster('closed', { taints: [{ key: 'repair', effect: 'NoSchedule' }] }, '8');
  await server.client.create(ResourceBinding, {
    metadata: { namespace: 'default', name: 'web-deployment' },
    spec: {
      resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' },
      replicas: 6,
      replicaRequirements: { resourceRequest: { cpu: '1' } },
      clusters: [{ name: 'far', replicas: 2 }],
      placement: {
        replicaScheduling: {
          replicaSchedulingType: 'Divided',
          replicaDivisionPreference: 'Weighted',
          weightPreference: { dynamicWeight: 'AvailableReplicas' },
        },
      },
    },
  });
});

after(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe('perigee explain', () => {
  it('says that running work stays where it is while nothing fits', async () => {
    const ref = { namespace: 'default', name: 'web-deployment' };
    const set = (clusterAffinity: object | null) =>
      server.client.patch(ResourceBinding, ref, {
        type: 'merge',
        body: { spec: { placement: { clusterAffinity } } },
      });
    await set({ clusterNames: ['nowhere'] });
    const { stdout } = await explain('deployment/web');
    await set(null);
    assert.match(stdout, /^It would stay where it is: far \(2\)\.$/m);
    assert.match(stdout, /the policy names `nowhere` only/);
    assert.match(stdout, /NoClusterFit: 0\/3 clusters are available/);
  });

  it('tells of each cluster what became of it and why', async () => {
    const { code, stdout, stderr } = await explain('rb/web-deployment');
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.match(
      stdout,
      /If it were decided now \(nothing of this has happened\): far would go from 2 to 3, near would get 3\./,
    );
    assert.match(stdout, /Deployment default\/web with 6 replicas: .* room that clusters have\./);
    assert.match(stdout, /^far +chosen +3 +4 +100 +ClusterLocality 100 +had 2$/m);
    assert.match(stdout, /^near +chosen +3 +8 +0 +ClusterLocality 0$/m);
    assert.match(
      stdout,
      /^closed +refused +TaintToleration +taint `repair:NoSchedule`, and the policy tolerates no taints$/m,
    );
  });

  it('decides from scratch when asked to', async () => {
    const { stdout } = await explain('deployment/web', '--fresh', '-o', 'json');
    const { attempts, isFresh } = JSON.parse(stdout).ifDecidedNow;
    assert.equal(isFresh, true);
    const shares = attempts[0].clusters.map(
      ({ name, replicas }: { name: string; replicas?: number }) => `${name}:${replicas}`,
    );
    assert.deepEqual(shares, ['near:4', 'far:2', 'closed:undefined']);
  });

  it('says what room was computed from', async () => {
    const { client } = server;
    const metadata = { namespace: 'karmada-es-near', name: 'near' };
    const countedAt = formatTime(realClock.now());
    const pools = [{ free: [{ nodes: 3, each: ['2500m', '10'] }] }];
    const spec = { countedAt, nodes: 3, resources: ['cpu', 'pods'], pools };
    await client.create(Namespace, { metadata: { name: metadata.namespace } });
    await client.create(ClusterRoom, { metadata, spec });
    const { stdout } = await explain('deployment/web', '--fresh');
    assert.match(stdout, /near +\S+ +\d +6 /);
    assert.match(
      stdout,
      /\nRoom: counted on nodes in near; by the sums that the cluster reports in far\. The nodes of near have room for 6; by the sums that it reports it would be 8\. The nodes count\.\n/,
    );
    await client.delete(ClusterRoom, metadata);
  });

  it('takes a binding, too', async () => {
    const [byWorkload, byBinding] = await Promise.all([
      explain('deployment/web', '-o', 'json'),
      explain('rb/web-deployment', '-o', 'json'),
    ]);
    assert.deepEqual(byBinding, byWorkload);
  });

  const wrong: readonly (readonly [string, number, RegExp])[] = [
    ['web', 2, /say a kind and a name, such as deployment\/web/],
    ['deploymnt/web', 3, /did you mean deployment/],
  ];
  it('says that there is no such object', async () => {
    const { code, stdout } = await explain('deployment/none');
    assert.equal(code, 3);
    assert.match(stdout, /there is no Deployment none in the namespace default/);
  });

  for (const [target, exitCode, message] of wrong) {
    it(`says what is wrong with ${target}`, async () => {
      const { code, stdout, stderr } = await explain(target);
      assert.deepEqual({ code, stdout }, { code: exitCode, stdout: '' });
      assert.match(stderr, message);
    });
  }
});
