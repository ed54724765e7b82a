import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { ClusterRoleBinding } from '@perigee/kubernetes/rbac/cluster-role-binding';
import { RoleBinding } from '@perigee/kubernetes/rbac/role-binding';
import type { JsonObject } from '@perigee/schema/json';
import { type Answer, CLUSTERS, startRestWorld } from './rest-world.ts';
import { profileOf } from './seed-example.ts';

const tokenOf = (name: string) => ({ token: `${name}-token`, user: { name }, clusters: ['root'] });
const [admin, tenant, reader] = ['admin', 'tenant', 'reader'].map(tokenOf);
const world = await startRestWorld({
  staticTokens: [admin, tenant, reader].flatMap((one) => one ?? []),
});
after(() => world[Symbol.asyncDispose]());
const { call, client, state } = world;

const SUBJECT = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User' };
const ROLE = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole' };

await client.create(ClusterRoleBinding, {
  metadata: { name: 'admin-of-clusters' },
  roleRef: { ...ROLE, name: 'perigee-admin' },
  subjects: [{ ...SUBJECT, name: 'admin' }],
});

const as = (caller: typeof admin) => ({ token: caller?.token ?? '' });
const post = (body: string | JsonObject, headers: { readonly [name: string]: string } = {}) =>
  call('POST', CLUSTERS, { ...as(admin), body, headers });

/** A refusal in the form of RFC 9457 that wrote nothing. */
const refused = async (code: number, work: () => Promise<Answer>): Promise<Answer> => {
  const before = state();
  const answer = await work();
  assert.equal(answer.code, code, answer.text);
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  assert.equal(state(), before);
  return answer;
};

const nested = (depth: number) =>
  `{"cluster_profile":{"cluster_name":"deep","cluster_spec":{"operator":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}}}`;

test('JSON that is nested as deep as a body can be is refused', async () => {
  for (const depth of [10_000, 400_000]) {
    const { text } = await refused(400, () => post(nested(depth)));
    assert.ok(text.length < 10_000, `an answer of ${text.length} characters`);
  }
});

test('lists, texts and labels that are too long are refused by their names', async () => {
  const spec = 'cluster_profile.cluster_spec';
  const flavors = Array.from({ length: 10_000 }, (_, index) => ({
    FlavorID: `f${index}`,
    TotalCapacity: 1,
  }));
  const cases: readonly (readonly [JsonObject, RegExp])[] = [
    [profileOf('c', { flavors }), new RegExp(`${spec}.flavors`)],
    [
      profileOf('c', { operator: { operator: 'x'.repeat(100_000) } }),
      /cluster_spec\.Operator\.operator/,
    ],
    [profileOf('c', {}, { [`${'k'.repeat(64)}`]: 'v' }), /cluster_labels/],
    [profileOf('c', {}, { k: 'v'.repeat(64) }), /cluster_labels/],
  ];
  for (const [body, field] of cases) {
    const { body: answer, text } = await refused(400, () => post(body));
    assert.match(JSON.stringify(answer.errors), field);
    assert.ok(text.length < 10_000, `an answer of ${text.length} characters`);
  }
});

test('a page holds as many as there are, however many are asked for', async () => {
  await post(profileOf('one'));
  const ask = (limit: string) => call('GET', `${CLUSTERS}?limit=${limit}`, as(admin));
  for (const limit of ['1', '500', '1000000', '2147483647']) {
    const { code, body } = await ask(limit);
    assert.deepEqual([code, (body.clusters as readonly JsonObject[]).length], [200, 1], limit);
  }
  for (const limit of ['1e3', '0x10', '1.5', '99999999999999999999', '%20', '']) {
    await refused(400, () => ask(limit));
  }
});

test('selectors and page tokens that are made up are refused', async () => {
  const ask = (query: string) => call('GET', `${CLUSTERS}?${query}`, as(admin));
  const values = ['a'.repeat(10_000), '%00', '(((((', encodeURIComponent('a in (')];
  for (const value of values) {
    await refused(400, () => ask(`continue=${value}`));
    await refused(400, () => ask(`fieldSelector=${value}`));
  }
  await refused(400, () => ask(`labelSelector=${encodeURIComponent('a in (')}`));
});

test('paths that lead out of the API lead nowhere', async () => {
  for (const path of [
    '/..',
    '/%2e%2e',
    '/name/..%2fx',
    '/name/%00',
    '/%ff',
    `/${'x'.repeat(5000)}`,
  ]) {
    const { code } = await call('GET', `${CLUSTERS}${path}`, as(admin));
    assert.ok(code === 400 || code === 404, `${path}: ${code}`);
  }
});

test('a right in a namespace is no right to clusters', async () => {
  await client.create(RoleBinding, {
    metadata: { namespace: 'default', name: 'admin-of-default' },
    roleRef: { ...ROLE, name: 'perigee-admin' },
    subjects: [{ ...SUBJECT, name: 'tenant' }],
  });
  const mine = as(tenant);
  await refused(403, () => call('GET', CLUSTERS, mine));
  await refused(403, () => call('GET', `${CLUSTERS}/one`, mine));
  await refused(403, () => call('POST', CLUSTERS, { ...mine, body: profileOf('mine') }));
  await refused(403, () => call('PUT', `${CLUSTERS}/one`, { ...mine, body: profileOf('one') }));
  await refused(403, () => call('DELETE', `${CLUSTERS}/one?force=true`, mine));
});

test('whoever may not see a cluster cannot tell whether there is one', async () => {
  const codes = ['one', 'none'].map(async (name) => {
    const { code, body } = await call('GET', `${CLUSTERS}/${name}`, as(tenant));
    return [code, String(body.detail).replaceAll(`"${name}"`, 'NAME')];
  });
  const [there, missing] = await Promise.all(codes);
  assert.deepEqual(there, missing);
  const deleted = ['one', 'none'].map(
    async (name) => (await call('DELETE', `${CLUSTERS}/${name}`, as(tenant))).code,
  );
  assert.deepEqual(await Promise.all(deleted), [403, 403]);
});

test('each verb needs its own right', async () => {
  await client.create(ClusterRole, {
    metadata: { name: 'gets-clusters' },
    rules: [{ apiGroups: ['globalscheduler.com'], resources: ['clusters'], verbs: ['get'] }],
  });
  await client.create(ClusterRoleBinding, {
    metadata: { name: 'reader' },
    roleRef: { ...ROLE, name: 'gets-clusters' },
    subjects: [{ ...SUBJECT, name: 'reader' }],
  });
  const mine = as(reader);
  assert.equal((await call('GET', `${CLUSTERS}/one`, mine)).code, 200);
  await refused(403, () => call('GET', CLUSTERS, mine));
  await refused(403, () => call('PUT', `${CLUSTERS}/one`, { ...mine, body: profileOf('one') }));
  await refused(403, () => call('DELETE', `${CLUSTERS}/one`, mine));
  await refused(403, () => call('DELETE', `${CLUSTERS}/one?dryRun=All`, mine));
  const dry = { ...mine, body: profileOf('other') };
  await refused(403, () => call('POST', `${CLUSTERS}?dryRun=All`, dry));
});
