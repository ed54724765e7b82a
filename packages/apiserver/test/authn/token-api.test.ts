import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { parseJwt } from '../../src/authn/jwt.ts';
import { type Guarded, newAccount, startGuarded, TOKEN_OF } from './tls-fixture.ts';

const ISSUER = 'https://kubernetes.default.svc';
let api: Guarded;
let token: string;
before(async () => {
  api = await startGuarded();
  token = await newAccount(api, 'one');
});
after(() => api[Symbol.asyncDispose]());

const ask = (spec: JsonObject, name = 'one', metadata: JsonObject = {}) =>
  api.admin('POST', TOKEN_OF(name), { metadata, spec });

const review = async (spec: JsonObject) => {
  const path = '/apis/authentication.k8s.io/v1/tokenreviews';
  return (await api.admin('POST', path, { spec })).body;
};

test('a request for a token is answered with all that was left open', async () => {
  const { code, body } = await ask({});
  assert.equal(code, 201);
  const { name, namespace } = body.metadata as JsonObject;
  assert.deepEqual({ name, namespace }, { name: 'one', namespace: 'default' });
  assert.deepEqual(body.spec, {
    audiences: [ISSUER],
    expirationSeconds: 3600,
    boundObjectRef: null,
  });
  const { exp } = parseJwt((body.status as { token: string }).token)?.claims ?? {};
  const { expirationTimestamp } = body.status as { expirationTimestamp: string };
  assert.equal(Date.parse(expirationTimestamp), Number(exp) * 1000);
});

test('requests that cannot be met are refused as Kubernetes does', async () => {
  const cases: [
    spec: JsonObject,
    name: string,
    metadata: JsonObject,
    code: number,
    message: string,
  ][] = [
    [
      { expirationSeconds: 10 },
      'one',
      {},
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 10: may not specify a duration less than 10 minutes',
    ],
    [
      { expirationSeconds: 2 ** 32 + 1 },
      'one',
      {},
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
    ],
    [{}, 'nobody', {}, 404, 'serviceaccounts "nobody" not found'],
    [
      {},
      'one',
      { name: 'two' },
      422,
      'TokenRequest.authentication.k8s.io "one" is invalid: metadata.name: Invalid value: "two": must match the service account name if specified',
    ],
    [
      { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'nope' } },
      'one',
      {},
      404,
      'pods "nope" not found',
    ],
    [
      { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'nope' } },
      'one',
      {},
      400,
      'cannot bind token to object of type /v1, Kind=ConfigMap',
    ],
  ];
  for (const [spec, name, metadata, code, message] of cases) {
    const answer = await ask(spec, name, metadata);
    assert.deepEqual([answer.code, answer.body.message], [code, message]);
  }
  const { body } = await ask({}, 'one', { uid: 'other' });
  assert.match(
    String(body.message),
    /^Operation cannot be fulfilled on TokenRequest\.authentication\.k8s\.io "one": the UID in the token request \(other\) does not match/,
  );
});

test('a token that is bound to a secret ends with it', async () => {
  const secrets = '/api/v1/namespaces/default/secrets';
  await api.admin('POST', secrets, { metadata: { name: 's' } });
  const { body } = await ask({ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 's' } });
  const bound = (body.status as { token: string }).token;
  assert.equal((await api.call({ token: bound }, 'GET', '/api')).code, 200);
  await api.admin('DELETE', `${secrets}/s`);
  assert.equal((await api.call({ token: bound }, 'GET', '/api')).code, 401);
});

test('a review tells whose a token is', async () => {
  const { status } = await review({ token });
  const { jti, 'kubernetes.io': about } = parseJwt(token)?.claims ?? {};
  assert.deepEqual(status, {
    authenticated: true,
    user: {
      username: 'system:serviceaccount:default:one',
      uid: (about as { serviceaccount: { uid: string } }).serviceaccount.uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${jti}`] },
    },
    audiences: [ISSUER],
  });
});

test('a review tells what is wrong with a token', async () => {
  assert.deepEqual((await review({ token, audiences: ['x'] })).status, {
    user: {},
    error: `[invalid bearer token, token audiences ["${ISSUER}"] is invalid for the target audiences ["x"]]`,
  });
  for (const unknown of ['nonsense', 'a.b.c']) {
    assert.deepEqual((await review({ token: unknown })).status, {
      user: {},
      error: 'invalid bearer token',
    });
  }
  const forVault = (await ask({ audiences: ['vault'] })).body.status as { token: string };
  assert.equal((await api.call({ token: forVault.token }, 'GET', '/api')).code, 401);
  const { audiences } = (await review({ token: forVault.token, audiences: ['vault', 'x'] }))
    .status as JsonObject;
  assert.deepEqual(audiences, ['vault']);
});

test('others can check tokens with the keys that the server shows', async () => {
  const found = await api.call({ token }, 'GET', '/.well-known/openid-configuration');
  assert.deepEqual(found.body, {
    issuer: ISSUER,
    jwks_uri: `${api.url}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  });
  const { body, contentType } = await api.call({ token }, 'GET', '/openid/v1/jwks');
  assert.equal(contentType, 'application/jwk-set+json');
  const [jwk = {}] = body.keys as JsonObject[];
  const jwt = parseJwt(token);
  assert.ok(jwt);
  assert.equal(jwk.kid, jwt.header.kid);
  const key = {
    key: createPublicKey({ key: jwk, format: 'jwk' }),
    dsaEncoding: 'ieee-p1363' as const,
  };
  assert.ok(verify('sha256', Buffer.from(jwt.content), key, jwt.signature));
  assert.equal(jwk.d, undefined);
});

test('certificates and tokens hold after a restart', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'perigee-access-'));
  try {
    const first = await startGuarded({ dataFolder });
    const kept = await newAccount(first, 'kept');
    await first[Symbol.asyncDispose]();
    assert.equal(statSync(join(dataFolder, 'pki')).mode & 0o777, 0o700);
    await using second = await startGuarded({ dataFolder });
    assert.equal(second.pki.authority, first.pki.authority);
    const admin = await second.call({ pair: first.pki.admin }, 'GET', '/api/v1/secrets');
    assert.equal(admin.code, 200);
    assert.equal((await second.call({ token: kept }, 'GET', '/api')).code, 200);
  } finally {
    rmSync(dataFolder, { recursive: true });
  }
});
