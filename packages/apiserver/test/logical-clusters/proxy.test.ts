import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Client } from '@perigee/kube/client/client';
import { ClusterRoleBinding } from '@perigee/kubernetes/rbac/cluster-role-binding';
import { RoleBinding } from '@perigee/kubernetes/rbac/role-binding';
import { type Credential, markerOf, startGuardedClusters } from './access-fixture.ts';

let api: Awaited<ReturnType<typeof startGuardedClusters>>;
before(async () => {
  api = await startGuardedClusters();
});
after(() => api[Symbol.asyncDispose]());

const SECRETS = '/api/v1/namespaces/default/secrets';
const through = (cluster: string, path: string): string =>
  `/apis/cluster.karmada.io/v1alpha1/clusters/${cluster}/proxy${path}`;
const apiGroup = 'rbac.authorization.k8s.io';

const clientOf = (cluster: string): Client => {
  const member = api.cluster(cluster);
  assert.ok(member);
  return member.client;
};

const person = (user: string): Credential => ({
  pair: api.pki.issueClient({ user, clusters: ['root'] }),
});

const letThrough = (user: string) =>
  api.client.create(ClusterRoleBinding, {
    metadata: { name: `${user}-reads-members` },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'perigee-member-reader' },
    subjects: [{ apiGroup, kind: 'User', name: user }],
  });

const letRead = (user: string, cluster: string) =>
  clientOf(cluster).create(RoleBinding, {
    metadata: { name: user, namespace: 'default' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'edit' },
    subjects: [{ apiGroup, kind: 'User', name: user }],
  });

test('the proxy to a member takes a right here, and then gives what the user has in the member', async () => {
  const ann = person('ann');
  const target = through('a', SECRETS);
  const stopped = await api.send(ann, { target });
  assert.equal(stopped.code, 403);
  assert.match(stopped.text, /cannot get resource \\"clusters\/proxy\\"/);
  await letThrough('ann');
  const stranger = await api.send(ann, { target });
  assert.equal(stranger.code, 403);
  assert.match(stranger.text, /User \\"ann\\" cannot list resource \\"secrets\\"/);
  await letRead('ann', 'a');
  const seen = await api.send(ann, { target });
  assert.equal(seen.code, 200, seen.text);
  assert.ok(seen.text.includes(markerOf('a')) && !seen.text.includes(markerOf('root')));
  // It is neither in the other member, nor in the control plane.
  assert.equal((await api.send(ann, { target: through('b', SECRETS) })).code, 403);
  assert.equal((await api.send(ann, { target: SECRETS })).code, 403);
});

test('rights of the control plane do not go along with who is named by a header', async () => {
  const boss = api.certificateOf('root');
  const target = through('a', SECRETS);
  assert.equal((await api.send(boss, { target })).code, 200);
  const headers = { 'impersonate-user': 'nobody' };
  assert.equal((await api.send(boss, { target, headers })).code, 403);
  await letThrough('nobody');
  const inside = await api.send(boss, { target, headers });
  assert.equal(inside.code, 403);
  assert.match(inside.text, /User \\"nobody\\" cannot list resource \\"secrets\\"/);
});

test('the proxy is for reading, and for members that are there', async () => {
  const boss = api.certificateOf('root');
  const secret = `${SECRETS}/${markerOf('a')}`;
  for (const method of ['DELETE', 'POST', 'PUT', 'PATCH']) {
    assert.equal((await api.send(boss, { target: through('a', secret), method })).code, 405);
  }
  assert.equal((await api.send(boss, { target: through('a', secret) })).code, 200);
  const absent = await api.send(boss, { target: through('ghost', SECRETS) });
  assert.equal(absent.code, 404);
  assert.match(absent.text, /no virtual member \\"ghost\\"/);
  const twice = through('a', through('b', SECRETS));
  assert.equal((await api.send(boss, { target: twice })).code, 404);
});

test('who belongs to a member alone does not get through the proxy', async () => {
  for (const credential of [api.certificateOf('b'), api.tokenOf('b'), {}]) {
    const got = await api.send(credential, { target: through('a', SECRETS) });
    assert.equal(got.code, 401);
  }
});
