import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { ClusterRoleBinding } from '@perigee/kubernetes/rbac/cluster-role-binding';
import { ensureDefaultPolicy } from '../../src/rbac/default-policy/ensure-default-policy.ts';
import { aUser, clusterRole, setUpRbac, toUser, wish } from './rbac-fixture.ts';

const PROTECTED = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
const discovery = { name: 'system:discovery' };

const setUp = async () => {
  const world = await setUpRbac();
  await ensureDefaultPolicy(world.client);
  return world;
};

test('everybody who is known can find their way; who is not known can learn the version', async () => {
  const { access } = await setUp();
  const may = (group: string, path: string) =>
    access.allowed({ user: aUser('x', group), verb: 'get', path }).allowed;
  assert.ok(may('system:authenticated', '/apis/apps/v1'));
  assert.ok(!may('system:unauthenticated', '/apis/apps/v1'));
  assert.ok(may('system:unauthenticated', '/version'));
  assert.ok(!access.allowed(wish(aUser('x', 'system:authenticated'), {})).allowed);
});

test('a second start writes nothing', async () => {
  const { client, registry } = await setUp();
  const { revision } = registry.store;
  await ensureDefaultPolicy(client);
  assert.equal(registry.store.revision, revision);
});

test('rules, subjects, labels and annotations that were taken away come back; additions stay', async () => {
  const { client } = await setUp();
  const role = await client.get(ClusterRole, discovery);
  const extra = { verbs: ['get'], nonResourceURLs: ['/more'] };
  const rules = [{ verbs: ['get'], nonResourceURLs: ['/api', '/apis/*'] }, extra];
  const metadata = { ...role.metadata, labels: { own: 'label' }, annotations: {} };
  await client.update(ClusterRole, { ...role, rules, metadata });
  const binding = await client.get(ClusterRoleBinding, discovery);
  await client.update(ClusterRoleBinding, { ...binding, subjects: [toUser('jane')] });
  await ensureDefaultPolicy(client);
  const mended = await client.get(ClusterRole, discovery);
  assert.deepEqual(mended.rules?.slice(0, 2), rules);
  assert.deepEqual(
    mended.rules?.slice(2).flatMap(({ nonResourceURLs = [] }) => nonResourceURLs),
    [
      '/api/*',
      '/apis',
      '/healthz',
      '/livez',
      '/openapi',
      '/openapi/*',
      '/readyz',
      '/version',
      '/version/',
    ],
  );
  assert.deepEqual(mended.metadata.labels, {
    own: 'label',
    'kubernetes.io/bootstrapping': 'rbac-defaults',
  });
  assert.deepEqual(mended.metadata.annotations, role.metadata.annotations);
  const { subjects } = await client.get(ClusterRoleBinding, discovery);
  assert.deepEqual(subjects, [toUser('jane'), ...(binding.subjects ?? [])]);
});

test('a binding to another role is made anew', async () => {
  const { client } = await setUp();
  const before = await client.get(ClusterRoleBinding, discovery);
  await client.delete(ClusterRoleBinding, discovery);
  const roleRef = clusterRole('view');
  await client.create(ClusterRoleBinding, { metadata: discovery, roleRef, subjects: [] });
  await ensureDefaultPolicy(client);
  const { roleRef: now, subjects } = await client.get(ClusterRoleBinding, discovery);
  assert.deepEqual({ now, subjects }, { now: before.roleRef, subjects: before.subjects });
});

test('what somebody looks after themselves is left alone', async () => {
  const { client, registry } = await setUp();
  const role = await client.get(ClusterRole, discovery);
  const metadata = { ...role.metadata, annotations: PROTECTED };
  await client.update(ClusterRole, { ...role, metadata, rules: [] });
  const binding = await client.get(ClusterRoleBinding, discovery);
  const bindingMetadata = { ...binding.metadata, annotations: PROTECTED };
  await client.update(ClusterRoleBinding, { ...binding, metadata: bindingMetadata, subjects: [] });
  const { revision } = registry.store;
  await ensureDefaultPolicy(client);
  assert.equal(registry.store.revision, revision);
});

test('the selectors of an aggregated role come back, and a role that should not gather stops', async () => {
  const { client } = await setUp();
  const view = await client.get(ClusterRole, { name: 'view' });
  const own = { matchLabels: { own: 'parts' } };
  await client.update(ClusterRole, { ...view, aggregationRule: { clusterRoleSelectors: [own] } });
  const plain = await client.get(ClusterRole, discovery);
  await client.update(ClusterRole, { ...plain, aggregationRule: { clusterRoleSelectors: [own] } });
  await ensureDefaultPolicy(client);
  const mended = await client.get(ClusterRole, { name: 'view' });
  assert.deepEqual(mended.aggregationRule?.clusterRoleSelectors, [
    own,
    ...(view.aggregationRule?.clusterRoleSelectors ?? []),
  ]);
  assert.equal((await client.get(ClusterRole, discovery)).aggregationRule, undefined);
});

test('several servers may start at once', async () => {
  const { client } = await setUpRbac();
  await Promise.all([ensureDefaultPolicy(client), ensureDefaultPolicy(client)]);
  assert.ok((await client.list(ClusterRole)).items.length > 30);
});
