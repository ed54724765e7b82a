import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { startWithMembers } from './members-fixture.ts';
import type { Identity } from './tls-fixture.ts';

const PREFIXES = { root: '', m1: '/clusters/m1', m2: '/clusters/m2' };
type Cluster = keyof typeof PREFIXES;
const CLUSTERS = Object.keys(PREFIXES) as Cluster[];

let api: Awaited<ReturnType<typeof startWithMembers>>;
before(async () => {
  api = await startWithMembers();
});
after(() => api[Symbol.asyncDispose]());

/** Each cluster's answer to a request for its secrets. */
const codes = async (identity: Identity): Promise<{ readonly [cluster: string]: number }> => {
  const answers = CLUSTERS.map(async (cluster) => {
    const { code } = await api.call(identity, 'GET', `${PREFIXES[cluster]}/api/v1/secrets`);
    return [cluster, code] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
};

const tokenIn = async (cluster: Cluster): Promise<string> => {
  const prefix = PREFIXES[cluster];
  const admin = { pair: api.pki.admin };
  const accounts = `${prefix}/api/v1/namespaces/default/serviceaccounts`;
  await api.call(admin, 'POST', accounts, { metadata: { name: 'boss' } });
  await api.call(admin, 'POST', `${prefix}/apis/rbac.authorization.k8s.io/v1/clusterrolebindings`, {
    metadata: { name: 'boss' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'boss', namespace: 'default' }],
  });
  const { body } = await api.call(admin, 'POST', `${accounts}/boss/token`, { spec: {} });
  return (body.status as { token: string }).token;
};

test('the administrator reaches all clusters', async () => {
  assert.deepEqual(await codes({ pair: api.pki.admin }), { root: 200, m1: 200, m2: 200 });
});

test('who rules a member is nobody elsewhere', async () => {
  const groups = ['system:masters'];
  const pair = api.pki.issueClient({ user: 'boss', groups, clusters: ['m1'] });
  assert.deepEqual(await codes({ pair }), { root: 401, m1: 200, m2: 401 });
});

test('a token is good in its own cluster, though all have such a service account', async () => {
  const tokens = {
    root: await tokenIn('root'),
    m1: await tokenIn('m1'),
    m2: await tokenIn('m2'),
  };
  for (const cluster of CLUSTERS) {
    const expected = Object.fromEntries(CLUSTERS.map((one) => [one, one === cluster ? 200 : 401]));
    assert.deepEqual(await codes({ token: tokens[cluster] }), expected, cluster);
  }
});

test('a cluster reviews and issues its own tokens only', async () => {
  const token = await tokenIn('m1');
  const review = async (cluster: Cluster, spec: JsonObject) => {
    const path = `${PREFIXES[cluster]}/apis/authentication.k8s.io/v1/tokenreviews`;
    const { body } = await api.call({ pair: api.pki.admin }, 'POST', path, { spec });
    return body.status as { authenticated?: boolean; audiences?: string[] };
  };
  const issuer = 'https://kubernetes.default.svc/clusters/m1';
  assert.deepEqual((await review('m1', { token })).audiences, [issuer]);
  for (const cluster of ['root', 'm2'] as const) {
    assert.equal((await review(cluster, { token })).authenticated, undefined);
    assert.equal((await review(cluster, { token, audiences: [issuer] })).authenticated, undefined);
  }
  const path = '/clusters/m1/.well-known/openid-configuration';
  const { body } = await api.call({ token }, 'GET', path);
  assert.equal(body.issuer, issuer);
  assert.equal(body.jwks_uri, `${api.url}/clusters/m1/openid/v1/jwks`);
});

test('no path leads around the question', async () => {
  const groups = ['system:masters'];
  const pair = api.pki.issueClient({ user: 'boss', groups, clusters: ['m1'] });
  const paths = [
    '/clusters/m1/../../api/v1/secrets',
    '/clusters/m1/../m2/api/v1/secrets',
    '/clusters/m1/clusters/m2/api/v1/secrets',
    '/clusters/m1%2f..%2fm2/api/v1/secrets',
    '/clusters//m2/api/v1/secrets',
    '//api/v1/secrets',
    '/clusters/none/api/v1/secrets',
  ];
  for (const path of paths) {
    const { code, body } = await api.call({ pair }, 'GET', path);
    assert.notEqual(body.kind, 'SecretList', path);
    assert.ok(code === 401 || code === 404, `${path}: ${code}`);
  }
});
