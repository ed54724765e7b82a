import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { type Guarded, startGuarded } from './tls-fixture.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';

let api: Guarded;
before(async () => {
  api = await startGuarded();
});
after(() => api[Symbol.asyncDispose]());

/** Resolves when the secret is so; changes of secrets wake it up. */
const until = async (name: string, isSo: (secret: JsonObject, code: number) => boolean) => {
  const { store } = api.registry;
  for (;;) {
    const { revision } = store;
    const { code, body } = await api.admin('GET', `${SECRETS}/${name}`);
    if (isSo(body, code)) return body;
    using changes = store.watch('root//secrets', { since: revision });
    await changes[Symbol.asyncIterator]().next();
  }
};

const newSecret = (name: string, account: string) =>
  api.admin('POST', SECRETS, {
    metadata: { name, annotations: { 'kubernetes.io/service-account.name': account } },
    type: 'kubernetes.io/service-account-token',
  });

const textIn = ({ data }: JsonObject, name: string): string =>
  Buffer.from(String((data as JsonObject | undefined)?.[name] ?? ''), 'base64').toString();

test('a secret for tokens gets one, which stands for its service account', async () => {
  await api.admin('POST', ACCOUNTS, { metadata: { name: 'old-style' } });
  await newSecret('t1', 'old-style');
  const secret = await until('t1', (body) => textIn(body, 'token') !== '');
  assert.equal(textIn(secret, 'ca.crt'), api.pki.authority);
  assert.equal(textIn(secret, 'namespace'), 'default');
  const token = textIn(secret, 'token');
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const { body } = await api.call({ token }, 'POST', path, {});
  const { userInfo } = body.status as { userInfo: { username: string } };
  assert.equal(userInfo.username, 'system:serviceaccount:default:old-style');
  await api.admin('DELETE', `${ACCOUNTS}/old-style`);
  assert.equal((await api.call({ token }, 'GET', '/api')).code, 401);
  await until('t1', (_, code) => code === 404);
});

test('a secret for a service account that does not exist goes', async () => {
  assert.equal((await newSecret('t2', 'nobody')).code, 201);
  await until('t2', (_, code) => code === 404);
});
