import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signLegacyToken } from '../../src/authn/legacy-token.ts';
import { setUpClusters } from './authn-fixture.ts';

const SA = 'system:serviceaccount:ns:sa';
const data = (token: string) => ({ data: { token: Buffer.from(token).toString('base64') } });

const setUp = async () => {
  const { cluster } = setUpClusters();
  const root = cluster('root');
  const uid = await root.put('serviceaccounts', 'ns/sa');
  const claims = { namespace: 'ns', secret: 's', account: 'sa', uid };
  const token = signLegacyToken(root.authenticator.issuer.key, claims);
  await root.put('secrets', 'ns/s', data(token));
  return { ...root, cluster, claims, token };
};

test('a token is good as long as its Secret holds it', async () => {
  const { who, put, remove, token, claims, authenticator } = await setUp();
  assert.equal(who({ token }), SA);
  await put('secrets', 'ns/s', data('another'));
  assert.equal(who({ token }), undefined);
  const labels = { 'kubernetes.io/legacy-token-invalid-since': '2029-12-31' };
  await put('secrets', 'ns/s', { ...data(token), metadata: { labels } });
  assert.equal(who({ token }), undefined);
  await put('secrets', 'ns/s', data(token));
  assert.equal(who({ token }), SA);
  await remove('secrets', 'ns/s');
  assert.equal(who({ token }), undefined);
  const incomplete = signLegacyToken(authenticator.issuer.key, { ...claims, uid: '' });
  await put('secrets', 'ns/s', data(incomplete));
  assert.equal(who({ token: incomplete }), undefined);
});

test('it ends with its service account', async () => {
  const { who, put, remove, token } = await setUp();
  await remove('serviceaccounts', 'ns/sa');
  assert.equal(who({ token }), undefined);
  await put('serviceaccounts', 'ns/sa');
  assert.equal(who({ token }), undefined);
});

test('the same Secret in another cluster is good for nothing', async () => {
  const { cluster, token, claims } = await setUp();
  const member = cluster('member1');
  await member.put('secrets', 'ns/s', data(token));
  await member.put('serviceaccounts', 'ns/sa', { metadata: { uid: claims.uid } });
  assert.equal(member.who({ token }), undefined);
});

test('it is for the API and for nobody else', async () => {
  const { authenticator, token } = await setUp();
  assert.equal(authenticator.checkToken(token).kind, 'known');
  assert.equal(authenticator.checkToken(token, ['vault']).kind, 'refused');
});
