import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OverridePolicy } from '@perigee/api/kinds/placement/override-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Work } from '@perigee/api/kinds/placement/work';
import { findCondition } from '@perigee/api/values/conditions';
import type { Client } from '@perigee/kube/client/client';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Event } from '@perigee/kubernetes/core/event';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { ClusterRoleBinding } from '@perigee/kubernetes/rbac/cluster-role-binding';
import { Role } from '@perigee/kubernetes/rbac/role';
import { createInterpreter } from '@perigee/scheduling/interpreter/known-kinds';
import { startFederation } from '../../support/federation.ts';
import { boundTo } from '../../support/kinds.ts';

type World = Awaited<ReturnType<typeof startFederation>>;

const SETTINGS = boundTo('v1', 'ConfigMap', 'settings');
const BINDING = { namespace: 'default', name: 'settings-configmap' };

/** Stands for a policy that was stored before admission refused such: the controllers read another path. */
const SMUGGLED = '/smuggled';
const unwrapped = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value).replaceAll(SMUGGLED, '')) as T;

const smuggling = (client: Client): Client =>
  new Proxy(client, {
    get: (target, verb) => {
      const method = Reflect.get(target, verb) as (...args: readonly unknown[]) => unknown;
      if (typeof method !== 'function') return method;
      return (...args: readonly unknown[]) => {
        const answer = method.apply(target, [...args]);
        if (args[0] !== OverridePolicy || (verb !== 'list' && verb !== 'watch')) return answer;
        if (verb === 'list') return (answer as Promise<unknown>).then(unwrapped);
        return (async function* () {
          for await (const event of answer as AsyncIterable<unknown>) yield unwrapped(event);
        })();
      };
    },
  });

const override = (world: World, overriders: object, cluster = 'm1') =>
  world.client.create(OverridePolicy, {
    metadata: { namespace: 'default', name: 'evil' },
    spec: { overrideRules: [{ targetCluster: { clusterNames: [cluster] }, overriders }] } as never,
  });

const sendSettings = async (world: World, spec: object = {}) => {
  const metadata = { namespace: 'default', name: 'settings' };
  await world.client.create(ConfigMap, { metadata, data: { a: '1' } } as never);
  await world.bind(SETTINGS, [{ name: 'm1' }, { name: 'm2' }], spec);
  await world.settle();
};

const writtenOf = async (world: World, ref = BINDING) => {
  const { status } = await world.client.get(ResourceBinding, ref);
  return findCondition(status?.conditions, 'WorksWritten');
};

const bindRights = [
  { path: `${SMUGGLED}/apiVersion`, operator: 'replace', value: 'rbac.authorization.k8s.io/v1' },
  { path: `${SMUGGLED}/kind`, operator: 'replace', value: 'ClusterRoleBinding' },
  { path: '/roleRef', operator: 'add', value: { kind: 'ClusterRole', name: 'cluster-admin' } },
];

describe('what an object is', () => {
  const attempts: readonly (readonly [string, object])[] = [
    ['its kind', { plaintext: bindRights }],
    [
      'its namespace',
      {
        plaintext: [
          { path: `${SMUGGLED}/metadata/namespace`, operator: 'replace', value: 'kube-system' },
        ],
      },
    ],
    [
      'all of it',
      {
        plaintext: [
          {
            path: SMUGGLED,
            operator: 'replace',
            value: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' } },
          },
        ],
      },
    ],
    [
      'its name, as the text of a document',
      {
        fieldOverrider: [
          {
            fieldPath: `${SMUGGLED}/metadata/name`,
            yaml: [{ subPath: '', operator: 'replace', value: 'other' }],
          },
        ],
      },
    ],
  ];
  for (const [what, overriders] of attempts) {
    it(`is not changed by an override: ${what}`, async () => {
      await using world = await startFederation({ members: ['m1', 'm2'], reach: smuggling });
      await world.member('m1').addNamespaces('kube-system');
      await override(world, overriders);
      await sendSettings(world, { conflictResolution: 'Overwrite' });
      const { admin } = world.member('m1');
      assert.deepEqual((await admin.list(ClusterRoleBinding)).items, []);
      assert.deepEqual((await admin.list(ConfigMap)).items, []);
      // The other cluster gets what it should.
      assert.notEqual(await world.member('m2').find(ConfigMap, 'settings'), undefined);
      const { status, reason, message = '' } = (await writtenOf(world)) ?? {};
      assert.deepEqual([status, reason], ['False', 'OverrideRefused']);
      assert.match(message, /^m1: override policy evil: .*not which object it is/);
      const events = (await world.client.list(Event)).items;
      const told = events.filter((event) => event.reason === 'SyncWorkFailed');
      assert.deepEqual(told.map(({ involvedObject }) => involvedObject.kind).sort(), [
        'ConfigMap',
        'ResourceBinding',
      ]);
    });
  }

  it('is what it was before when an override turns bad, and is sent again when that is mended', async () => {
    await using world = await startFederation({ members: ['m1', 'm2'], reach: smuggling });
    await sendSettings(world);
    assert.equal(await writtenOf(world), undefined);
    await override(world, { plaintext: bindRights });
    await world.settle();
    assert.equal((await writtenOf(world))?.status, 'False');
    const kept = await world.member('m1').find(ConfigMap, 'settings');
    assert.deepEqual(kept?.data, { a: '1' });
    await world.client.delete(OverridePolicy, { namespace: 'default', name: 'evil' });
    await world.settle();
    assert.equal((await writtenOf(world))?.status, 'True');
  });

  it('is not changed by an interpreter either', async () => {
    const interpreter = createInterpreter([
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        revise: (object) => ({ ...object, metadata: { namespace: 'kube-system', name: 'x' } }),
      },
    ]);
    await using world = await startFederation({ members: ['m1', 'm2'], interpreter });
    await sendSettings(world, { replicas: 1 });
    assert.equal((await writtenOf(world))?.reason, 'IdentityChanged');
    assert.deepEqual((await world.member('m1').admin.list(ConfigMap)).items, []);
  });

  it('stays in the namespace of its binding', async () => {
    await using world = await startFederation({ members: ['m1'] });
    await world.client.create(Namespace, { metadata: { name: 'team' } });
    const metadata = { namespace: 'default', name: 'settings' };
    await world.client.create(ConfigMap, { metadata, data: {} } as never);
    await world.client.create(ResourceBinding, {
      metadata: { namespace: 'team', name: 'settings-configmap' },
      spec: { resource: SETTINGS, clusters: [{ name: 'm1' }] } as never,
    });
    await world.settle();
    assert.equal(await world.member('m1').find(ConfigMap, 'settings'), undefined);
    const ref = { namespace: 'team', name: 'settings-configmap' };
    assert.equal((await writtenOf(world, ref))?.reason, 'IdentityChanged');
  });
});

it('an override of a namespace gives nobody other rights', async () => {
  await using world = await startFederation({ members: ['m1', 'm2'] });
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
  const metadata = { namespace: 'default', name: 'reader' };
  await world.client.create(Role, { metadata, rules } as never);
  const everything = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  await override(world, {
    plaintext: [{ path: '/rules', operator: 'replace', value: everything }],
  });
  const resource = boundTo('rbac.authorization.k8s.io/v1', 'Role', 'reader');
  await world.bind(resource, [{ name: 'm1' }, { name: 'm2' }]);
  await world.settle();
  assert.equal(await world.member('m1').find(Role, 'reader'), undefined);
  assert.deepEqual((await world.member('m2').find(Role, 'reader'))?.rules, rules);
  const ref = { namespace: 'default', name: 'reader-role' };
  assert.match((await writtenOf(world, ref))?.message ?? '', /rules of a Role/);
});

it('what is refused in every cluster is not fully applied', async () => {
  await using world = await startFederation({ members: ['m1'], reach: smuggling });
  await override(world, { plaintext: bindRights });
  const metadata = { namespace: 'default', name: 'settings' };
  await world.client.create(ConfigMap, { metadata, data: {} } as never);
  await world.bind(SETTINGS, [{ name: 'm1' }]);
  const status = { lastScheduledTime: '2026-01-01T00:00:00Z' };
  const patch = { type: 'merge', body: { status } } as const;
  await world.client.patch(ResourceBinding, BINDING, patch, { subresource: 'status' });
  await world.settle();
  const { conditions } = (await world.client.get(ResourceBinding, BINDING)).status ?? {};
  assert.equal(findCondition(conditions, 'FullyApplied')?.status, 'False');
});

it('marks of the system on a template are not believed', async () => {
  await using world = await startFederation({ members: ['m1'] });
  await world.client.create(ConfigMap, {
    metadata: {
      namespace: 'default',
      name: 'settings',
      labels: {
        'karmada.io/managed': 'false',
        'work.karmada.io/permanent-id': 'forged',
        'clusterresourcebinding.karmada.io/permanent-id': 'forged',
      },
      annotations: {
        'work.karmada.io/name': 'forged',
        'clusterresourcebinding.karmada.io/name': 'forged',
        'resourcetemplate.karmada.io/managed-labels': 'forged',
      },
    },
    data: {},
  } as never);
  await world.bind(SETTINGS, [{ name: 'm1' }]);
  await world.settle();
  const { metadata } = (await world.member('m1').find(ConfigMap, 'settings')) ?? {};
  const [work] = (await world.works('m1')).filter(({ metadata: { name } }) => /^sett/.test(name));
  assert.equal(metadata?.labels?.['karmada.io/managed'], 'true');
  assert.equal(metadata.annotations?.['work.karmada.io/name'], work?.metadata.name);
  assert.doesNotMatch(JSON.stringify([metadata.labels, metadata.annotations]), /forged/);
});

it('a Work of another is not taken', async () => {
  await using world = await startFederation({ members: ['m1', 'm2'] });
  await sendSettings(world);
  await world.bind(boundTo('v1', 'ConfigMap', 'other'), [{ name: 'm1' }]);
  const [present] = (await world.works('m1')).filter(({ metadata }) =>
    /^settings/.test(metadata.name),
  );
  const { namespace = '', name = '' } = present?.metadata ?? {};
  const annotations = { 'resourcebinding.karmada.io/name': 'other-configmap' };
  const body = { metadata: { annotations } };
  await world.client.patch(Work, { namespace, name }, { type: 'merge', body });
  const change = { data: { a: '2' } };
  const ref = { namespace: 'default', name: 'settings' };
  await world.client.patch(ConfigMap, ref, { type: 'merge', body: change });
  const touched = { spec: { conflictResolution: 'Overwrite' } };
  await world.client.patch(ResourceBinding, BINDING, { type: 'merge', body: touched });
  await world.settle();
  assert.equal((await writtenOf(world))?.reason, 'WorkOfAnother');
  const copy = await world.member('m2').find(ConfigMap, 'settings');
  assert.deepEqual(copy?.data, { a: '2' });
});
