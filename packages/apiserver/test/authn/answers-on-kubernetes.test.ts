import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { realClock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import type { JsonObject } from '@perigee/schema/json';
import { skip } from '../rbac/real-server.ts';
import { type Guarded, type Identity, startGuarded, tlsCaller } from './tls-fixture.ts';

type Call = Guarded['call'];

/** One of the two servers, and who may do everything there. */
interface Side {
  readonly call: Call;
  readonly admin: Identity;
}

/** The service account, its role and its binding. The namespace is one that every server has. */
const NAME = 'perigee-authn';
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const TOKEN_REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
const RULES = [
  {
    verbs: ['list', 'patch', 'impersonate-on:user-info:list'],
    apiGroups: [''],
    resources: ['pods'],
  },
  { verbs: ['impersonate'], apiGroups: [''], resources: ['users'], resourceNames: ['bob'] },
  { verbs: ['impersonate:user-info'], apiGroups: ['authentication.k8s.io'], resources: ['users'] },
  {
    verbs: ['create', 'patch'],
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['clusterroles'],
  },
];

const setUp = async ({ call, admin }: Side): Promise<string> => {
  const post = (path: string, body: JsonObject) => call(admin, 'POST', path, body);
  await post(ACCOUNTS, { metadata: { name: NAME } });
  await post(`${RBAC}/clusterroles`, { metadata: { name: NAME }, rules: RULES });
  await post(`${RBAC}/clusterrolebindings`, {
    metadata: { name: NAME },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: NAME },
    subjects: [{ kind: 'ServiceAccount', name: NAME, namespace: 'default' }],
  });
  const { body } = await post(`${ACCOUNTS}/${NAME}/token`, { spec: {} });
  return (body.status as { token: string }).token;
};

const tearDown = async ({ call, admin }: Side): Promise<void> => {
  for (const path of ['clusterrolebindings', 'clusterroles']) {
    await call(admin, 'DELETE', `${RBAC}/${path}/${NAME}`);
  }
  await call(admin, 'DELETE', `${ACCOUNTS}/${NAME}`);
};

/** Parts that differ by chance, by the clock, or by the name of the issuer. */
const comparable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, part) => (name === 'managedFields' ? undefined : part))
      .replaceAll('https://kubernetes.default.svc', 'ISSUER')
      .replaceAll('https://kubernetes.default', 'ISSUER')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
      .replace(/ey[\w-]+\.[\w-]+\.[\w-]+/g, 'TOKEN')
      .replace(/"RS256"|"ES256"/g, '"ALGORITHM"')
      .replace(/https:[^"]*\/openid/g, 'URL/openid'),
  );

type Case = (side: Side, token: string) => ReturnType<Call>;

const as = (token: string, headers: NonNullable<Identity['headers']> = {}): Identity => ({
  token,
  headers,
});
const order =
  (spec: JsonObject, name = NAME, metadata: JsonObject = {}): Case =>
  ({ call, admin }) =>
    call(admin, 'POST', `${ACCOUNTS}/${name}/token`, { metadata, spec });
const review =
  (spec: (token: string) => JsonObject): Case =>
  ({ call, admin }, token) =>
    call(admin, 'POST', TOKEN_REVIEWS, { spec: spec(token) });
const impersonating =
  (headers: NonNullable<Identity['headers']>, path = '/api/v1/pods'): Case =>
  ({ call }, token) =>
    call(as(token, headers), 'GET', path);

const CASES: { readonly [name: string]: Case } = {
  'a token that nobody knows': ({ call }) => call({ token: 'x' }, 'GET', '/api/v1/pods'),
  'no right to list': ({ call }, token) => call({ token }, 'GET', '/api/v1/secrets'),
  'no right to a path': ({ call }, token) => call({ token }, 'GET', '/metrics'),
  'who am I': ({ call }, token) =>
    call({ token }, 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}),
  'discovery of the issuer': ({ call }, token) =>
    call({ token }, 'GET', '/.well-known/openid-configuration'),
  'as a user': impersonating({ 'Impersonate-User': 'jane' }),
  'as a user in a constrained way': impersonating({ 'Impersonate-User': 'kim' }),
  'as another user without the right': impersonating(
    { 'Impersonate-User': 'jane' },
    '/api/v1/secrets',
  ),
  'as a user in a group': impersonating({ 'Impersonate-User': 'bob', 'Impersonate-Group': 'a' }),
  'as a master': impersonating({
    'Impersonate-User': 'jane',
    'Impersonate-Group': 'system:masters',
  }),
  'as a user with an extra': impersonating({
    'Impersonate-User': 'bob',
    'Impersonate-Extra-X': 'a',
  }),
  'as a user with an UID': impersonating({ 'Impersonate-User': 'bob', 'Impersonate-Uid': 'a' }),
  'as a service account': impersonating({ 'Impersonate-User': 'system:serviceaccount:a:b' }),
  'as a node': impersonating({ 'Impersonate-User': 'system:node:a' }),
  'as nobody': impersonating({ 'Impersonate-Group': 'a' }),
  'as an UID': impersonating({ 'Impersonate-Uid': 'a', 'Impersonate-Extra-B': 'c' }),
  'as the anonymous': impersonating({ 'Impersonate-User': 'system:anonymous' }),
  'a role with more': ({ call }, token) =>
    call({ token }, 'POST', `${RBAC}/clusterroles`, {
      metadata: { name: 'perigee-more' },
      rules: [{ verbs: ['delete'], apiGroups: [''], resources: ['pods'] }],
    }),
  'an apply that creates': ({ call }, token) =>
    call(
      { token },
      'PATCH',
      '/api/v1/namespaces/default/pods/p?fieldManager=t',
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      },
      'application/apply-patch+yaml',
    ),
  'a token': order({}),
  'a token for others': order({ audiences: ['a', 'b'], expirationSeconds: 601 }),
  'too short': order({ expirationSeconds: 10 }),
  'too long': order({ expirationSeconds: 4294967297 }),
  'for nobody': order({}, 'nobody'),
  'for another name': order({}, NAME, { name: 'other' }),
  'for another namespace': order({}, NAME, { namespace: 'other' }),
  'for another UID': order({}, NAME, { uid: 'a' }),
  'bound to no pod': order({ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'no' } }),
  'bound to no node': order({ boundObjectRef: { apiVersion: 'v1', kind: 'Node', name: 'no' } }),
  'bound to a kind': order({ boundObjectRef: { apiVersion: 'apps/v1', kind: 'Pod', name: 'no' } }),
  'review of a token': review((token) => ({ token })),
  'review for others': review((token) => ({ token, audiences: ['a'] })),
  'review of nonsense': review(() => ({ token: 'a.b.c' })),
  'review of nothing': review(() => ({ token: '' })),
};

suite('answers are those of Kubernetes', { skip }, () => {
  let ours: Side & AsyncDisposable;
  let real: Side;
  let close = (): void => {};
  let tokens: { readonly ours: string; readonly real: string };
  before(async () => {
    const guarded = await startGuarded();
    ours = {
      call: guarded.call,
      admin: { pair: guarded.pki.admin },
      [Symbol.asyncDispose]: () => guarded[Symbol.asyncDispose](),
    };
    const kubeconfig = process.env.PERIGEE_TEST_KUBECONFIG ?? '';
    const config = await loadClusterConfig({ env: {}, kubeconfig, clock: realClock });
    const { authorization = '', certificate } = (await config.credentials?.()) ?? {};
    const caller = tlsCaller(config.server, config.caBundle ?? '');
    close = caller.close;
    const admin = {
      ...(authorization === '' ? {} : { headers: { authorization } }),
      ...(certificate === undefined ? {} : { pair: certificate }),
    };
    real = { call: caller.call, admin };
    tokens = { ours: await setUp(ours), real: await setUp(real) };
  });
  after(async () => {
    await tearDown(real);
    close();
    await ours[Symbol.asyncDispose]();
  });
  for (const [name, send] of Object.entries(CASES)) {
    test(name, async () => {
      const theirs = await send(real, tokens.real);
      const own = await send(ours, tokens.ours);
      const shown = ({ code, body }: typeof own) => ({ code, body: comparable(body) });
      assert.deepEqual(shown(own), shown(theirs));
    });
  }
});
