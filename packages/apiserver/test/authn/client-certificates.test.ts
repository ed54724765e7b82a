import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAuthority } from '../../../kube/test/support/certificates.ts';
import { facts, setUpClusters } from './authn-fixture.ts';

const DAY_MS = 86_400_000;
const { pki, cluster, clock } = setUpClusters();
const root = cluster('root');
const member = cluster('member1');

test('the common name is the user, and the organizations are the groups', () => {
  const { cert } = pki.issueClient({ user: 'jane', groups: ['devs', 'ops'], clusters: ['root'] });
  const found = root.authenticator.authenticate(facts({ cert }));
  assert.ok('user' in found);
  const { extra, ...user } = found.user;
  assert.deepEqual(user, { name: 'jane', groups: ['devs', 'ops', 'system:authenticated'] });
  const [id = ''] = extra?.['authentication.kubernetes.io/credential-id'] ?? [];
  assert.match(id, /^X509SHA256=[0-9a-f]{64}$/);
});

test('names with commas, equal signs and line breaks are only names', () => {
  const user = 'a, O=system:masters\nO=system:masters\nOU=perigee:cluster:root';
  const { cert } = pki.issueClient({ user, groups: ['x+y=z'], clusters: ['root'] });
  const found = root.authenticator.authenticate(facts({ cert }));
  assert.ok('user' in found);
  assert.equal(found.user.name, user);
  assert.deepEqual(found.user.groups, ['x+y=z', 'system:authenticated']);
  assert.equal(member.who({ cert }), undefined);
});

test('a certificate is valid in the clusters that it names, and the administrator in all', () => {
  const of = (...clusters: string[]) => pki.issueClient({ user: 'jane', clusters }).cert;
  assert.equal(root.who({ cert: of('member1') }), undefined);
  assert.equal(member.who({ cert: of('member1') }), 'jane');
  assert.equal(member.who({ cert: of('root', 'member2') }), undefined);
  assert.equal(member.who({ cert: of() }), undefined);
  assert.equal(member.who({ cert: of('root', '*') }), 'jane');
  for (const { who } of [root, member]) {
    assert.equal(who({ cert: pki.admin.cert }), 'perigee-admin');
  }
});

test('what another authority signed, or is not for clients, is refused', () => {
  const foreign = createAuthority('perigee-ca');
  const subject = { commonName: 'perigee-admin', organizations: ['system:masters'] };
  const units = ['perigee:cluster:*'];
  const { cert } = foreign.issue({ ...subject, units, usage: 'client' });
  assert.equal(root.who({ cert }), undefined);
  assert.equal(root.who({ cert: pki.serving.cert }), undefined);
  assert.equal(root.who({ cert: pki.authority }), undefined);
});

test('a bad certificate does not spoil a good token, and no open path makes up for it', async () => {
  await root.put('serviceaccounts', 'ns/sa');
  const { cert } = createAuthority().issue({ commonName: 'x', usage: 'client' });
  assert.equal(root.who({ cert, token: root.issue() }), 'system:serviceaccount:ns:sa');
  assert.equal(root.who({ cert, path: '/healthz' }), undefined);
  assert.equal(root.who({ path: '/healthz' }), 'system:anonymous');
});

test('a certificate ends', async () => {
  const { cert } = pki.issueClient({ user: 'jane', clusters: ['root'] });
  await clock.advance(364 * DAY_MS);
  assert.equal(root.who({ cert }), 'jane');
  await clock.advance(2 * DAY_MS);
  assert.equal(root.who({ cert }), undefined);
});
