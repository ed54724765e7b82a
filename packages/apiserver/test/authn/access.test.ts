import assert from 'node:assert/strict';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:http2';
import { Agent, request } from 'node:https';
import { after, before, test } from 'node:test';
import { realClock } from '@perigee/kube/clock/real-clock';
import { ConfigError } from '@perigee/kube/errors';
import type { KeyPair } from '@perigee/kube/pki/certificate-authority';
import type { JsonObject } from '@perigee/schema/json';
import { createAuthority } from '../../../kube/test/support/certificates.ts';
import { startEmbeddedServer } from '../../src/embedded/embedded-server.ts';
import { type Guarded, newAccount, startGuarded } from './tls-fixture.ts';

const READ_PODS = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };
const UNAUTHORIZED = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'Unauthorized',
  reason: 'Unauthorized',
  code: 401,
};

let api: Guarded;
let reader: string;
before(async () => {
  api = await startGuarded({
    staticTokens: [{ token: 'boot', user: { name: 'boot', groups: ['g'] }, clusters: ['root'] }],
  });
  reader = await newAccount(api, 'reader', [READ_PODS]);
});
after(() => api[Symbol.asyncDispose]());

const whoAmI = async (identity: Parameters<Guarded['call']>[0]): Promise<unknown> => {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const { code, body } = await api.call(identity, 'POST', path, {});
  return code === 201 ? (body.status as { userInfo: JsonObject }).userInfo : body;
};

test('without a credential, only the probes and the version are answered', async () => {
  for (const path of ['/healthz', '/livez', '/readyz', '/version']) {
    assert.equal((await api.call({}, 'GET', path)).code, 200, path);
  }
  for (const path of [
    '/',
    '/api',
    '/apis',
    '/api/v1/pods',
    '/openapi/v2',
    '/metrics',
    '/nowhere',
  ]) {
    assert.deepEqual((await api.call({}, 'GET', path)).body, UNAUTHORIZED, path);
  }
  assert.equal((await api.call({}, 'POST', '/healthz', {})).code, 403);
});

test('a credential that is no good is refused everywhere', async () => {
  const foreign = createAuthority().issue({ commonName: 'admin', usage: 'client' });
  for (const identity of [{ token: 'nonsense' }, { token: `${reader}x` }, { pair: foreign }]) {
    for (const path of ['/api/v1/pods', '/healthz']) {
      assert.deepEqual((await api.call(identity, 'GET', path)).body, UNAUTHORIZED);
    }
  }
});

test('certificates and tokens tell who somebody is', async () => {
  const { extra: _, ...admin } = (await whoAmI({ pair: api.pki.admin })) as JsonObject;
  const groups = ['system:masters', 'system:authenticated'];
  assert.deepEqual(admin, { username: 'perigee-admin', groups });
  assert.deepEqual(await whoAmI({ token: 'boot' }), {
    username: 'boot',
    groups: ['g', 'system:authenticated'],
  });
  const account = (await whoAmI({ token: reader })) as JsonObject;
  assert.equal(account.username, 'system:serviceaccount:default:reader');
});

test('over HTTP/2 the certificate is that of the connection', async () => {
  const session = connect(api.url, { ca: api.pki.authority, ...api.pki.admin });
  const stream = session.request({ ':path': '/api/v1/secrets' });
  let code: number | undefined;
  stream.on('response', (headers) => {
    code = headers[':status'];
  });
  for await (const _ of stream);
  session.close();
  assert.equal(code, 200);
});

/** The answer to who wants to watch over a WebSocket. */
const upgrade = async (
  pair: KeyPair | undefined,
  headers: OutgoingHttpHeaders,
): Promise<number> => {
  const agent = new Agent({ ca: api.pki.authority, ...pair });
  const sent = request(`${api.url}/api/v1/pods?watch=true`, {
    agent,
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
      ...headers,
    },
  });
  sent.end();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve);
    sent.on('upgrade', resolve);
    sent.on('error', reject);
  });
  sent.destroy();
  agent.destroy();
  return response.statusCode ?? 0;
};

test('a page of another site cannot watch with the certificate of the browser', async () => {
  const protocol = (token: string) =>
    `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}, x`;
  const evil = { origin: 'https://evil.example' };
  assert.equal(await upgrade(api.pki.admin, {}), 101);
  assert.equal(await upgrade(api.pki.admin, evil), 401);
  assert.equal(await upgrade(undefined, {}), 401);
  assert.equal(await upgrade(undefined, { 'sec-websocket-protocol': protocol('nonsense') }), 401);
  // A watch is refused with 403, not with 401.
  assert.equal(await upgrade(undefined, { 'sec-websocket-protocol': protocol(reader) }), 403);
});

test('roles decide, in the words of Kubernetes', async () => {
  assert.equal((await api.call({ token: reader }, 'GET', '/api/v1/pods')).code, 200);
  const { body } = await api.call({ token: reader }, 'GET', '/api/v1/namespaces/default/secrets');
  assert.deepEqual(body, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message:
      'secrets is forbidden: User "system:serviceaccount:default:reader" cannot list resource "secrets" in API group "" in the namespace "default"',
    reason: 'Forbidden',
    details: { kind: 'secrets' },
    code: 403,
  });
});

test('who may, acts as somebody else', async () => {
  const as = (user: string) => ({ headers: { 'Impersonate-User': user } });
  const jane = {
    pair: api.pki.admin,
    headers: { 'Impersonate-User': 'jane', 'Impersonate-Group': ['a', 'b'] },
  };
  assert.deepEqual(await whoAmI(jane), {
    username: 'jane',
    groups: ['a', 'b', 'system:authenticated'],
  });
  const refused = await api.call({ token: reader, ...as('jane') }, 'GET', '/api/v1/pods');
  assert.equal(
    refused.body.message,
    'pods is forbidden: User "system:serviceaccount:default:reader" cannot impersonate-on:user-info:list resource "pods" in API group "" at the cluster scope',
  );
  const denied = await api.call({ pair: api.pki.admin, ...as('jane') }, 'GET', '/api/v1/pods');
  assert.match(String(denied.body.message), /^pods is forbidden: User "jane" cannot list/);
});

test('nobody gives away rights that they do not have', async () => {
  const clusterroles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
  const token = await newAccount(api, 'role-writer', [
    READ_PODS,
    { verbs: ['*'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'] },
  ]);
  const role = (name: string, verb: string) => ({
    metadata: { name },
    rules: [{ verbs: [verb], apiGroups: [''], resources: ['pods'] }],
  });
  // The verb * in its own rules also allows it to escalate: only a writer without it is held back.
  const limited = await newAccount(api, 'limited-writer', [
    READ_PODS,
    {
      verbs: ['create', 'update', 'patch'],
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['clusterroles'],
    },
  ]);
  const write = (as: string, name: string, verb: string) =>
    api.call({ token: as }, 'POST', clusterroles, role(name, verb));
  assert.equal((await write(token, 'any', 'delete')).code, 201);
  assert.equal((await write(limited, 'held', 'list')).code, 201);
  const refused = await write(limited, 'more', 'delete');
  assert.equal(refused.code, 403);
  assert.match(
    String(refused.body.message),
    /is attempting to grant RBAC permissions not currently held/,
  );
  const patch = { rules: [{ verbs: ['delete'], apiGroups: [''], resources: ['pods'] }] };
  const patched = await api.call(
    { token: limited },
    'PATCH',
    `${clusterroles}/held`,
    patch,
    'application/merge-patch+json',
  );
  assert.equal(patched.code, 403);
});

test('an apply that would create takes the right to create', async () => {
  const rules = [{ verbs: ['patch'], apiGroups: [''], resources: ['configmaps'] }];
  const token = await newAccount(api, 'patcher', rules);
  const path = '/api/v1/namespaces/default/configmaps/c?fieldManager=t';
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
  const apply = () => api.call({ token }, 'PATCH', path, config, 'application/apply-patch+yaml');
  const refused = await apply();
  assert.equal(refused.code, 403);
  assert.match(
    String(refused.body.message),
    /^configmaps "c" is forbidden: .* cannot create resource/,
  );
  await api.admin('POST', '/api/v1/namespaces/default/configmaps', config);
  assert.equal((await apply()).code, 200);
});

test('reviews tell what roles decide', async () => {
  const review = (spec: JsonObject) =>
    api.admin('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec });
  const ask = async (verb: string) => {
    const user = 'system:serviceaccount:default:reader';
    const { body } = await review({ user, resourceAttributes: { verb, resource: 'pods' } });
    return (body.status as { allowed: boolean }).allowed;
  };
  assert.equal(await ask('list'), true);
  assert.equal(await ask('delete'), false);
});

test('a server has one way to decide', async () => {
  await assert.rejects(
    startEmbeddedServer({ clock: realClock, access: 'rbac', authorize: () => {} }),
    (error) => error instanceof ConfigError && /not both/.test(error.message),
  );
});
