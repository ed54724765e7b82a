import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import {
  CLUSTERS,
  type ClusterName,
  type Credential,
  markerOf,
  type Sent,
  startGuardedClusters,
} from './access-fixture.ts';

let api: Awaited<ReturnType<typeof startGuardedClusters>>;
before(async () => {
  api = await startGuardedClusters();
});
after(() => api[Symbol.asyncDispose]());

const SECRETS = '/api/v1/secrets';
const byPath = (name: ClusterName): Sent => ({
  target: name === 'root' ? SECRETS : `/clusters/${name}${SECRETS}`,
});
const byHost = (name: ClusterName): Sent => {
  const host = name === 'root' ? 'localhost' : `${name}.localhost`;
  return { target: SECRETS, host: `${host}:${api.port}`, serverName: host };
};
const WAYS = { certificate: () => api.certificateOf, token: () => api.tokenOf };

test('a credential opens its own cluster by path and by host, and no other', async () => {
  for (const [way, credentialOf] of Object.entries(WAYS)) {
    for (const home of CLUSTERS) {
      for (const other of CLUSTERS) {
        for (const sent of [byPath(other), byHost(other)]) {
          const { code, text } = await api.send(credentialOf()(home), sent);
          const what = `${way} of ${home} at ${sent.host}${sent.target}`;
          assert.equal(code, home === other ? 200 : 401, what);
          assert.equal(text.includes(markerOf(other)), home === other, what);
        }
      }
    }
  }
});

const TRICKS: readonly Sent[] = [
  { target: `/clusters/a/../b${SECRETS}` },
  { target: `/clusters/a/%2e%2e/b${SECRETS}` },
  { target: `/clusters/a/..%2f..${SECRETS}` },
  { target: `/clusters/a/../..${SECRETS}` },
  { target: `/clusters/a%2f..%2fb${SECRETS}` },
  { target: `/clusters/a/clusters/b${SECRETS}` },
  { target: `/clusters/a//clusters/b${SECRETS}` },
  { target: `//clusters/b${SECRETS}` },
  { target: `/clusters//b${SECRETS}` },
  { target: `/./clusters/b${SECRETS}` },
  { target: `/clusters/./b${SECRETS}` },
  { target: `/clusters/b/.${SECRETS}` },
  { target: `/CLUSTERS/b${SECRETS}` },
  { target: `/clusters/B${SECRETS}` },
  { target: `/clusters/root${SECRETS}` },
  { target: `/clusters/.clusters${SECRETS}` },
  { target: `/clusters/b%00${SECRETS}` },
  { target: `/clusters/b?${SECRETS}` },
  { target: `/clusters/b#${SECRETS}` },
  { target: `https://b.localhost${SECRETS}`, host: 'a.localhost' },
  { target: `https://localhost${SECRETS}`, host: 'a.localhost' },
  { target: SECRETS, host: 'B.LOCALHOST' },
  { target: SECRETS, host: 'b.localhost.' },
  { target: SECRETS, host: 'b.localhost:1' },
  { target: SECRETS, host: 'a.b.localhost' },
  { target: SECRETS, host: 'b.localhost@a.localhost' },
  { target: SECRETS, host: 'root.localhost' },
  { target: SECRETS, host: 'none.localhost' },
  { target: SECRETS, host: 'b.localhost', serverName: 'a.localhost' },
  { target: SECRETS, host: 'localhost', serverName: 'b.localhost' },
  { target: `/clusters/b${SECRETS}`, host: 'a.localhost' },
  { target: `/clusters/b${SECRETS}`, host: 'a.localhost', serverName: 'a.localhost' },
  { target: `/clusters/a/../b${SECRETS}`, host: 'a.localhost' },
];

test('no trick of a member leads to another cluster', async () => {
  for (const credential of [api.certificateOf('a'), api.tokenOf('a')]) {
    for (const sent of TRICKS) {
      const { code, text } = await api.send(credential, sent);
      const what = JSON.stringify(sent);
      assert.ok(code >= 400 && code < 500, `${what}: ${code}`);
      for (const other of CLUSTERS) assert.ok(!text.includes(markerOf(other)), what);
    }
  }
});

test('whatever is asked for, nobody gets what is not theirs', async () => {
  const part = fc.constantFrom(
    ...[
      '/clusters',
      '/a',
      '/b',
      '/root',
      '/..',
      '/.',
      '/',
      '%2f',
      '%2e%2e',
      '//',
      '/A',
      '%2fb',
      '/b%2f..',
    ],
    // The suffix must not become part of the zero: a watch would never end.
    ...['/api/v1', SECRETS, '/api', '/secrets', '?watch=0&q=', ';', '%00'],
  );
  const good = fc.constantFrom([SECRETS], ['/clusters/a', SECRETS], ['/clusters/b', SECRETS]);
  const host = fc.constantFrom(
    undefined,
    'a.localhost',
    'b.localhost',
    'localhost',
    'B.localhost:99',
  );
  const sentBy = fc.record({
    parts: fc.oneof(fc.array(part, { minLength: 1, maxLength: 7 }), good),
    host,
    serverName: fc.constantFrom(undefined, 'a.localhost', 'b.localhost', 'localhost'),
    authority: fc.constantFrom('', 'https://b.localhost', 'http://localhost'),
  });
  const credential = fc.constantFrom<readonly [ClusterName, (name: ClusterName) => Credential]>(
    ...CLUSTERS.flatMap((name) => [
      [name, api.certificateOf] as const,
      [name, api.tokenOf] as const,
    ]),
  );
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(sentBy, credential, async ({ parts, host, serverName, authority }, who) => {
      const [home, credentialOf] = who;
      const path = parts.join('');
      const target = authority + (path.startsWith('/') ? path : `/${path}${SECRETS}`);
      const sent = {
        target: `${target}${target.endsWith('s') ? '' : SECRETS}`,
        ...(host === undefined ? {} : { host }),
        ...(serverName === undefined ? {} : { serverName }),
      };
      const { text } = await api.send(credentialOf(home), sent);
      if (text.includes(markerOf(home))) answered += 1;
      for (const other of CLUSTERS) {
        if (other !== home) assert.ok(!text.includes(markerOf(other)), JSON.stringify(sent));
      }
    }),
    { numRuns: 400 },
  );
  assert.ok(answered > 0, 'some of these requests are good ones');
});

test('a connection to one member is refused for another cluster, also to who rules both', async () => {
  const admin = { pair: api.pki.admin };
  const misdirected = { ...byHost('b'), serverName: 'a.localhost' };
  const { code, body } = await api.send(admin, misdirected);
  assert.deepEqual([code, body.reason], [421, 'MisdirectedRequest']);
  assert.equal((await api.send(admin, { ...byHost('b'), serverName: 'localhost' })).code, 200);
});

const PUBLIC = [
  ...['', '/', '/healthz', '/healthz/ping', '/healthz/', '/livez', '/readyz', '/readyz?verbose'],
  ...['/version', '/version/', '/api', '/apis', '/openapi/v2', '/openapi/v3', '/metrics', '/x'],
  ...['/.well-known/openid-configuration', '/openid/v1/jwks', SECRETS],
];

test('nobody learns which members there are before they are let in', async () => {
  const strangers: readonly (readonly [string, Credential])[] = [
    ['nobody', {}],
    ['a bad token', { token: 'nonsense' }],
    ['a token of the control plane', api.tokenOf('root')],
    ['a certificate of the control plane', api.certificateOf('root')],
    ['a token of another member', api.tokenOf('b')],
    ['a certificate of another member', api.certificateOf('b')],
  ];
  const answer = async (credential: Credential, sent: Sent) => {
    const { code, text, headers } = await api.send(credential, sent);
    const { 'audit-id': _, date: __, ...rest } = headers;
    return { code, text, headers: rest };
  };
  for (const [who, credential] of strangers) {
    for (const path of PUBLIC) {
      for (const method of ['GET', 'HEAD', 'POST']) {
        const [there, nowhere] = ['a', 'x'].map((name): readonly Sent[] => [
          { method, target: `/clusters/${name}${path}` },
          { method, target: path, host: `${name}.localhost:${api.port}` },
          { method, target: path, host: 'localhost', serverName: `${name}.localhost` },
        ]);
        for (const [at, sent] of (there ?? []).entries()) {
          if (sent.target === '') continue;
          const known = await answer(credential, sent);
          const unknown = await answer(credential, nowhere?.[at] ?? sent);
          assert.deepEqual(known, unknown, `${who}: ${method} ${JSON.stringify(sent)}`);
          assert.equal(known.code, 401, `${who}: ${method} ${JSON.stringify(sent)}`);
        }
      }
    }
  }
});

test('who rules all clusters is told that there is no such member', async () => {
  const admin = { pair: api.pki.admin };
  for (const sent of [{ target: '/clusters/x/api' }, { target: '/api', host: 'x.localhost' }]) {
    const { code, body } = await api.send(admin, sent);
    assert.deepEqual([code, body.message], [404, 'there is no cluster "x" in this server']);
  }
  assert.equal((await api.send(admin, { target: '/clusters/a/healthz' })).text, 'ok');
});

test('the control plane itself is open to probes', async () => {
  for (const target of ['/healthz', '/livez', '/readyz', '/version']) {
    assert.equal((await api.send({}, { target })).code, 200, target);
  }
});

test('a member that is removed and made again does not know the tokens of the first', async () => {
  const { token } = api.tokenOf('b');
  await api.removeCluster('b');
  assert.equal((await api.send({ token: token ?? '' }, byPath('b'))).code, 401);
  await api.openCluster('b');
  assert.equal((await api.send({ token: token ?? '' }, byPath('b'))).code, 401);
  assert.equal((await api.send({ pair: api.pki.admin }, byPath('b'))).code, 200);
});
