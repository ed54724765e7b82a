import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { signLegacyToken } from '../../src/authn/legacy-token.ts';
import { setUpClusters } from './authn-fixture.ts';

const NAMES = ['root', 'member1', 'member2', 'member', 'root-1'];

/** The same service account, with the same UID, in all clusters: nothing but the credential differs. */
const setUp = async () => {
  const statics = NAMES.map((name) => ({
    token: `secret-of-${name}`,
    user: { name: 'jane' },
    clusters: [name],
  }));
  const { cluster, pki } = setUpClusters(statics);
  const clusters = new Map(NAMES.map((name) => [name, cluster(name)]));
  for (const { put } of clusters.values()) {
    await put('serviceaccounts', 'ns/sa', { metadata: { uid: 'same' } });
    await put('secrets', 'ns/s', { metadata: { uid: 'same' } });
  }
  return { clusters, pki };
};

test('no credential of one cluster is accepted by another', async () => {
  const { clusters, pki } = await setUp();
  const of = (name: string) => clusters.get(name) ?? assert.fail(name);
  const everyIssuer = NAMES.map((name) => of(name).authenticator.issuer.url);
  const claims = { namespace: 'ns', secret: 's', account: 'sa', uid: 'same' };
  const makers = {
    bound: async (name: string) => ({ token: of(name).issue() }),
    'bound to a secret': async (name: string) => ({
      token: of(name).issue({ boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 's' } }),
    }),
    'for all audiences': async (name: string) => ({
      token: of(name).issue({ audiences: everyIssuer }),
    }),
    legacy: async (name: string) => {
      const token = signLegacyToken(of(name).authenticator.issuer.key, claims);
      const data = { token: Buffer.from(token).toString('base64') };
      for (const { put } of clusters.values()) {
        await put('secrets', 'ns/s', { metadata: { uid: 'same' }, data });
      }
      return { token };
    },
    static: async (name: string) => ({ token: `secret-of-${name}` }),
    certificate: async (name: string) => {
      const groups = ['system:masters'];
      return { cert: pki.issueClient({ user: 'jane', groups, clusters: [name] }).cert };
    },
  };
  const maker = fc.constantFrom(...Object.entries(makers));
  const name = fc.constantFrom(...NAMES);
  await fc.assert(
    fc.asyncProperty(maker, name, name, async ([, make], home, other) => {
      const credential = await make(home);
      assert.notEqual(of(home).who(credential), undefined);
      if (other !== home) assert.equal(of(other).who(credential), undefined);
      if (other !== home)
        assert.equal(of(other).who({ ...credential, path: '/healthz' }), undefined);
    }),
    { numRuns: 150 },
  );
});
