import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '@perigee/apiserver/embedded/embedded-server';
import { realClock } from '@perigee/kube/clock/real-clock';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Role } from '@perigee/kubernetes/rbac/role';
import { RoleBinding } from '@perigee/kubernetes/rbac/role-binding';
import { formatTime } from '@perigee/schema/values/time';
import { perigee, perigeeAs } from '../command-line.ts';

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
      /^closed +refused +TaintToleration +it has the taint `repair:NoSchedule`, and the policy tolerates no taints$/m,
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

describe('perigee explain of what rules work', () => {
  const inDefault = (name: string) => ({ namespace: 'default', name });

  it('says what a policy propagates, and which name was meant by one that nothing has', async () => {
    const deployment = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name });
    await server.client.create(ConfigMap, { metadata: inDefault('settings') });
    await server.client.create(PropagationPolicy, {
      metadata: inDefault('typo'),
      spec: {
        resourceSelectors: [
          { apiVersion: 'v1', kind: 'ConfigMap', name: 'setings' },
          deployment('absent'),
        ],
        placement: {},
      },
    });
    const { code, stdout } = await explain('propagationpolicy/typo');
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^PropagationPolicy default\/typo: it propagates nothing: no ConfigMap is named `setings` in the namespace default: did you mean `settings`\?$/m,
    );
    assert.match(stdout, /no Deployment is named `absent` in the namespace default$/m);
    assert.doesNotMatch(stdout, /What would make it run/);
  });

  it('finds a named object also for readers who may list its kind and not get it', async () => {
    const { client } = server;
    const apiGroup = 'rbac.authorization.k8s.io';
    await client.create(ConfigMap, { metadata: inDefault('colours') });
    await client.create(PropagationPolicy, {
      metadata: inDefault('by-name'),
      spec: {
        resourceSelectors: ['colours', 'sizes'].map((name) => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          name,
        })),
        placement: {},
      },
    });
    await client.create(Role, {
      metadata: inDefault('lister'),
      rules: [
        { apiGroups: [''], resources: ['configmaps'], verbs: ['list'] },
        { apiGroups: ['policy.karmada.io'], resources: ['*'], verbs: ['get', 'list'] },
      ],
    });
    await client.create(RoleBinding, {
      metadata: inDefault('lister'),
      roleRef: { apiGroup, kind: 'Role', name: 'lister' },
      subjects: [{ apiGroup, kind: 'User', name: 'lister' }],
    });
    const { stdout } = await perigeeAs('lister', kubeconfig, [
      'explain',
      'propagationpolicy/by-name',
    ]);
    assert.match(stdout, /no ConfigMap is named `sizes`/);
    assert.doesNotMatch(stdout, /no ConfigMap is named `colours`/);
  });

  it('says what a data operation waits for, for people and for programs', async () => {
    const ref = inDefault('warm');
    await server.client.create(DataLoad, {
      metadata: ref,
      spec: { dataset: { name: 'lake', namespace: 'default' } },
    });
    const message = 'DataMigrate fetch does not exist';
    const condition = {
      type: 'Started',
      status: 'False',
      reason: 'PredecessorMissing',
      message,
      lastProbeTime: formatTime(realClock.now()),
      lastTransitionTime: formatTime(realClock.now()),
    };
    const status = { phase: 'Pending', duration: 'Unfinished', conditions: [condition] };
    const options = { subresource: 'status' };
    await server.client.patch(DataLoad, ref, { type: 'merge', body: { status } }, options);
    const { stdout } = await explain('dataload/warm');
    assert.match(stdout, /^DataLoad default\/warm: waits: DataMigrate fetch does not exist$/m);
    assert.match(stdout, /^Create it, or correct runAfter\.$/m);
    assert.match(stdout, /perigee flow show warm -n default/);
    const { state, reason } = JSON.parse((await explain('dataload/warm', '-o', 'json')).stdout);
    assert.deepEqual({ state, reason }, { state: 'waiting', reason: 'PredecessorMissing' });
  });

  it('explains a Dataset for the Fluid of members as work', async () => {
    const annotations = { 'flows.perigee.io/run-by': 'member' };
    await server.client.create(Dataset, {
      metadata: { ...inDefault('handed-on'), annotations },
      spec: { mounts: [{ mountPoint: 's3://bucket' }] },
    });
    const { stdout } = await explain('dataset/handed-on');
    assert.match(stdout, /no propagation policy selects it/);
  });

  it('says that an object is not there', async () => {
    const { code, stdout } = await explain('datasourceclaim/none');
    assert.equal(code, 3);
    assert.match(stdout, /there is no DataSourceClaim none in the namespace default/);
  });
});
