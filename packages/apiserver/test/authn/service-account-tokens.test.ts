import assert from 'node:assert/strict';
import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { isSignedBy, parseJwt, signJwt } from '../../src/authn/jwt.ts';
import { publicJwk, signingKey } from '../../src/authn/signing-key.ts';
import { facts, NOW, setUpClusters } from './authn-fixture.ts';

const SA = 'system:serviceaccount:ns:sa';

const setUp = async () => {
  const clusters = setUpClusters();
  const root = clusters.cluster('root');
  const uid = await root.put('serviceaccounts', 'ns/sa');
  return { ...clusters, ...root, uid };
};

test('a token says what those of Kubernetes say, and stands for its service account', async () => {
  const { issue, authenticator, uid } = await setUp();
  const token = issue();
  const { header, claims } = parseJwt(token) ?? {};
  const { jti, ...said } = claims ?? {};
  assert.deepEqual(header, { alg: 'ES256', kid: authenticator.issuer.key.id });
  assert.deepEqual(said, {
    aud: ['https://kubernetes.default.svc'],
    exp: NOW / 1000 + 3600,
    iat: NOW / 1000,
    iss: 'https://kubernetes.default.svc',
    'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'sa', uid } },
    nbf: NOW / 1000,
    sub: SA,
  });
  assert.deepEqual(authenticator.authenticate(facts({ token })), {
    user: {
      name: SA,
      uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${jti}`] },
    },
  });
});

test('it ends with its time, with its service account, and when that is made again', async () => {
  const { issue, who, put, remove, clock } = await setUp();
  const token = issue({ expirationSeconds: 600 });
  await clock.advance(659_000);
  assert.equal(who({ token }), SA);
  await clock.advance(2000);
  assert.equal(who({ token }), undefined);
  const next = issue();
  assert.equal(who({ token: next }), SA);
  await remove('serviceaccounts', 'ns/sa');
  assert.equal(who({ token: next }), undefined);
  await put('serviceaccounts', 'ns/sa');
  assert.equal(who({ token: next }), undefined);
});

test('a token that is bound ends with the pod, the secret or the node', async () => {
  const { issue, put, remove, who } = await setUp();
  const spec = { serviceAccountName: 'sa', nodeName: 'n1' };
  const cases = [
    { plural: 'pods', key: 'ns/p', ref: { kind: 'Pod', name: 'p' }, rest: { spec } },
    { plural: 'secrets', key: 'ns/s', ref: { kind: 'Secret', name: 's' }, rest: {} },
    { plural: 'nodes', key: 'n1', ref: { kind: 'Node', name: 'n1' }, rest: {} },
  ];
  for (const { plural, key, ref, rest } of cases) {
    await put(plural, key, rest);
    const token = issue({ boundObjectRef: { apiVersion: 'v1', ...ref } });
    assert.equal(who({ token }), SA, plural);
    await put(plural, key, rest);
    assert.equal(who({ token }), undefined, `${plural} made again`);
    const again = issue({ boundObjectRef: { apiVersion: 'v1', ...ref } });
    await remove(plural, key);
    assert.equal(who({ token: again }), undefined, `${plural} gone`);
  }
});

test('a pod tells its node, also when the node is gone', async () => {
  const { issue, put, remove, authenticator } = await setUp();
  const nodeUid = await put('nodes', 'n1');
  const podUid = await put('pods', 'ns/p', { spec: { serviceAccountName: 'sa', nodeName: 'n1' } });
  const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: podUid };
  const token = issue({ boundObjectRef });
  await remove('nodes', 'n1');
  const found = authenticator.authenticate(facts({ token }));
  assert.ok('user' in found);
  const { 'authentication.kubernetes.io/credential-id': _, ...extra } = found.user.extra ?? {};
  assert.deepEqual(extra, {
    'authentication.kubernetes.io/pod-name': ['p'],
    'authentication.kubernetes.io/pod-uid': [podUid],
    'authentication.kubernetes.io/node-name': ['n1'],
    'authentication.kubernetes.io/node-uid': [nodeUid],
  });
});

test('an object that is being deleted holds a token for a minute more', async () => {
  const { issue, put, who } = await setUp();
  const at = (ms: number) => ({
    metadata: { uid: 'u', deletionTimestamp: new Date(NOW - ms).toISOString() },
  });
  await put('secrets', 'ns/s', at(30_000));
  const token = issue({ boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 's' } });
  assert.equal(who({ token }), SA);
  await put('secrets', 'ns/s', at(90_000));
  assert.equal(who({ token }), undefined);
});

test('nothing is issued for what is not there or does not fit', async () => {
  const { issue, put } = await setUp();
  await put('pods', 'ns/p', { spec: { serviceAccountName: 'other' } });
  await put('secrets', 'ns/s');
  const bind =
    (kind: string, name: string, apiVersion = 'v1', uid = '') =>
    () =>
      issue({ boundObjectRef: { apiVersion, kind, name, uid } });
  assert.throws(
    () => issue({ serviceAccount: 'no' }),
    /^ApiError: serviceaccounts "no" not found$/,
  );
  assert.throws(bind('Pod', 'no'), /pods "no" not found/);
  assert.throws(
    bind('Pod', 'p'),
    /cannot bind token for serviceaccount "sa" to pod running with different serviceaccount name\.$/,
  );
  assert.throws(
    bind('ConfigMap', 's'),
    /cannot bind token to object of type \/v1, Kind=ConfigMap$/,
  );
  assert.throws(bind('Pod', 'p', 'apps/v1'), /of type apps\/v1, Kind=Pod$/);
  assert.throws(
    bind('Secret', 's', 'v1', 'x'),
    /Operation cannot be fulfilled on Secret "s": the UID in the bound object reference \(x\)/,
  );
});

test('a token is for those that it names', async () => {
  const { issue, who, authenticator } = await setUp();
  const token = issue({ audiences: ['vault', 'other'] });
  assert.equal(who({ token }), undefined);
  const verdict = authenticator.checkToken(token, ['vault', 'x']);
  assert.ok(verdict.kind === 'known');
  assert.deepEqual(verdict.audiences, ['vault']);
  assert.deepEqual(authenticator.checkToken(token, ['x']), {
    kind: 'refused',
    why: 'token audiences ["vault" "other"] is invalid for the target audiences ["x"]',
  });
});

test('forged tokens are refused', async () => {
  const { issue, who, authenticator, uid } = await setUp();
  const { key } = authenticator.issuer;
  const token = issue();
  const [head = '', body = '', signature = ''] = token.split('.');
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = parseJwt(token)?.claims ?? {};
  const other = setUpClusters().cluster('root').authenticator.issuer.key;
  const publicPem = createPublicKey(key.privateKey).export({ type: 'spki', format: 'pem' });
  const hmacHead = encode({ alg: 'HS256', kid: key.id });
  const hmac = createHmac('sha256', publicPem).update(`${hmacHead}.${body}`).digest('base64url');
  const forged = {
    unsigned: `${encode({ alg: 'none' })}.${body}.`,
    'unsigned with a signature': `${encode({ alg: 'none' })}.${body}.${signature}`,
    'signed with the public key': `${hmacHead}.${body}.${hmac}`,
    'with other claims': `${head}.${encode({ ...claims, exp: 9e9 })}.${signature}`,
    'by another key': signJwt({ ...other, id: key.id }, claims),
    'without an end': signJwt(key, { ...claims, exp: 'never' }),
    'not yet valid': signJwt(key, { ...claims, nbf: NOW / 1000 + 120 }),
    'from the future': signJwt(key, { ...claims, iat: NOW / 1000 + 120 }),
    'of another issuer': signJwt(key, { ...claims, iss: 'https://else.where' }),
    'without a namespace': signJwt(key, {
      ...claims,
      'kubernetes.io': { serviceaccount: { name: 'sa', uid } },
    }),
    'with a part more': `${token}.x`,
    nothing: '',
  };
  assert.equal(who({ token }), SA);
  for (const [what, text] of Object.entries(forged)) {
    assert.equal(who({ token: text }), undefined, what);
  }
});

test('a key of another kind, such as one that an operator brings, signs as well', () => {
  const pem = (key: ReturnType<typeof generateKeyPairSync>['privateKey']) =>
    key.export({ type: 'pkcs8', format: 'pem' }).toString();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = signingKey(pem(privateKey));
  const jwt = parseJwt(signJwt(key, { sub: 'x' }));
  assert.ok(jwt);
  assert.deepEqual(jwt.header, { alg: 'RS256', kid: key.id });
  assert.ok(isSignedBy(key, jwt));
  assert.equal(isSignedBy(key, { ...jwt, content: `${jwt.content}x` }), false);
  assert.deepEqual(Object.keys(publicJwk(key)), ['use', 'kty', 'kid', 'alg', 'n', 'e']);
  const ed25519 = generateKeyPairSync('ed25519').privateKey;
  assert.throws(() => signingKey(pem(ed25519)), /cannot be signed with a key of type ed25519/);
});
