import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { realClock } from '@perigee/kube/clock/real-clock';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Role } from '@perigee/kubernetes/rbac/role';
import { RoleBinding } from '@perigee/kubernetes/rbac/role-binding';
import { formatTime } from '@perigee/schema/values/time';
import { openStage, perigeeAs } from '../command-line.ts';

const stage = await openStage();
const { server, kubeconfig } = stage;
after(() => stage[Symbol.asyncDispose]());

const explain = (...args: readonly string[]) => stage.run(['explain', ...args]);

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

  it('takes a name that no object can have for one that is not there, and an empty one for none', async () => {
    const selectors = [
      { name: '' },
      { name: '..' },
      { name: 'a/status' },
      { name: 'a', namespace: '..' },
      { name: 'a', namespace: '' },
      { name: 'a', apiVersion: '..' },
    ];
    await server.client.create(ClusterPropagationPolicy, {
      metadata: { name: 'empty' },
      spec: {
        resourceSelectors: selectors.map((one) => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          namespace: 'default',
          ...one,
        })),
        placement: {},
      },
    });
    const { code, stdout, stderr } = await explain('clusterpropagationpolicy/empty', '-o', 'json');
    assert.equal(code, 0, stderr);
    const misses: readonly { readonly value: string }[] = JSON.parse(stdout).facts;
    assert.deepEqual(
      misses.map(({ value }) => value),
      [
        'no ConfigMap is named `..` in the namespace default',
        'no ConfigMap is named `a/status` in the namespace default',
        'no ConfigMap is named `a` in the namespace ..',
        'no ConfigMap is named `a` in the namespace default',
      ],
    );
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
