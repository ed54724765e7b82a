import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Secret } from '@perigee/kubernetes/core/secret';
import { createAuthority } from '../../../../kube/test/support/certificates.ts';
import { OpenStackSouthbound } from '../../../src/clusters/southbound/openstack/openstack-southbound.ts';
import { type CloudOptions, OpenStackCloud } from '../../support/openstack-cloud.ts';
import { SimulatedMember } from '../../support/simulated-member.ts';

const REF = { namespace: 'inventory', name: 'osaka' };
const PASSWORD = { username: 'perigee', password: 'right', projectName: 'fleet' };

type Texts = { readonly [key: string]: string };

const encoded = (texts: Texts): Texts =>
  Object.fromEntries(
    Object.entries(texts).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );

const start = async (options: CloudOptions = {}, credentials: Texts = PASSWORD) => {
  await using stack = new AsyncDisposableStack();
  const cloud = stack.use(await OpenStackCloud.start(options));
  const clock = new VirtualClock();
  const { admin: client } = new SimulatedMember('plane', clock);
  await client.create(Namespace, { metadata: { name: REF.namespace } });
  const southbound = stack.use(new OpenStackSouthbound({ client, clock }));
  const secret = { authUrl: cloud.url, ...credentials };
  await client.create(Secret, { metadata: REF, data: encoded(secret) });
  const running = stack.move();
  const { signal } = new AbortController();
  const probe = (spec: object = { secretRef: REF }) => {
    const record = { metadata: { name: 'osaka' }, spec: { type: 'openstack', ...spec } };
    return southbound.probe(record as unknown as ClusterRecord, undefined, { signal });
  };
  return {
    cloud,
    clock,
    client,
    southbound,
    probe,
    /** Such as `CredentialsRejected: …`. */
    trouble: async (spec?: object) => {
      const finding = await probe(spec);
      return finding.kind === 'trouble' ? `${finding.reason}: ${finding.message}` : finding.kind;
    },
    change: (texts: Texts) =>
      client.patch(Secret, REF, { type: 'merge', body: { data: encoded(texts) } }),
    [Symbol.asyncDispose]: async () => {
      const stopping = running.disposeAsync();
      await clock.advance(60_000);
      await stopping;
    },
  };
};

test('a cloud tells what the project may have, what it has taken, and in which sizes', async () => {
  await using world = await start();
  const finding = await world.probe();
  assert.equal(finding.kind, 'well');
  assert.deepEqual(finding.kind === 'well' && finding.offer, {
    capacity: {
      cpu: '100',
      memory: '204800Mi',
      'globalscheduler.com/instances': '20',
      storage: '5000Gi',
    },
    allocatable: {
      cpu: '100',
      memory: '204800Mi',
      'globalscheduler.com/instances': '20',
      storage: '5000Gi',
    },
    allocated: {
      cpu: '12',
      memory: '24576Mi',
      'globalscheduler.com/instances': '3',
      storage: '120Gi',
    },
    flavors: [
      { flavorID: 'm1.huge', totalCapacity: 2, cpu: 48, memory: 98_304 },
      { flavorID: 'm1.small', totalCapacity: 20, cpu: 1, memory: 2048 },
    ],
    storageTypes: ['archive', 'ssd-fast'],
  });
  assert.deepEqual(world.cloud.loggedInWith, {
    identity: {
      methods: ['password'],
      password: { user: { name: 'perigee', domain: { name: 'Default' }, password: 'right' } },
    },
    scope: { project: { name: 'fleet', domain: { name: 'Default' } } },
  });
});

test('an administrator sees the machines, which are less than the quota', async () => {
  await using world = await start({ isAdmin: true, hasVolumes: false });
  const finding = await world.probe();
  const offer = finding.kind === 'well' ? finding.offer : undefined;
  assert.equal(offer?.capacity?.cpu, '96');
  assert.equal(offer?.capacity?.memory, '204800Mi');
  assert.equal(offer?.storageTypes, undefined);
});

test('an application credential does without a project', async () => {
  const credential = { applicationCredentialId: 'id', applicationCredentialSecret: 'right\n' };
  await using world = await start({}, credential);
  assert.equal((await world.probe()).kind, 'well');
  assert.deepEqual(world.cloud.loggedInWith, {
    identity: {
      methods: ['application_credential'],
      application_credential: { id: 'id', secret: 'right' },
    },
  });
});

test('a token is used until it is about to expire, and renewed when it was revoked', async () => {
  await using world = await start();
  const { cloud, clock, probe } = world;
  const logIns = () => cloud.requests.filter((request) => request.startsWith('POST')).length;
  cloud.expiresAt = new Date(clock.now() + 3_600_000).toISOString();
  await probe();
  await probe();
  assert.equal(logIns(), 1);
  cloud.revokeTokens();
  assert.equal((await probe()).kind, 'well');
  assert.equal(logIns(), 2);
  await clock.advance(3_560_000);
  cloud.expiresAt = new Date(clock.now() + 3_600_000).toISOString();
  assert.equal((await probe()).kind, 'well');
  assert.equal(logIns(), 3);
});

test('wrong credentials are told with the Secret that holds them', async () => {
  await using world = await start({}, { ...PASSWORD, password: 'wrong' });
  assert.match(
    await world.trouble(),
    /^CredentialsRejected: the identity service of .* answered with status 401: the credentials in the Secret inventory\/osaka are wrong/,
  );
  await world.change({ password: 'right' });
  assert.equal(await world.trouble(), 'well');
});

test('nothing that a cloud says is repeated: it may echo what it was sent', async () => {
  await using world = await start();
  const { cloud, trouble } = world;
  for (const code of [400, 401, 403, 500]) {
    const body = JSON.stringify({
      error: { code, message: `\u001b[2J bad password right ${code}` },
    });
    cloud.instead.set('/v3/auth/tokens', (response) => response.writeHead(code).end(body));
    const told = await trouble();
    assert.match(told, new RegExp(`the identity service of .* answered with status ${code}`));
    assert.doesNotMatch(told, /password|right|\p{Cc}/u);
  }
  const token = { token: { expires_at: 'right', catalog: [] } };
  cloud.instead.set('/v3/auth/tokens', (response) =>
    response.writeHead(201, { 'x-subject-token': 't' }).end(JSON.stringify(token)),
  );
  assert.match(
    await trouble(),
    /^AnswerUnintelligible: .*without the time at which its token expires/,
  );
});

test('an address in the record does not lead the credentials elsewhere', async () => {
  await using world = await start();
  await using stranger = await OpenStackCloud.start();
  assert.match(
    await world.trouble({ secretRef: REF, apiEndpoint: stranger.url }),
    /^CredentialsInvalid: spec.apiEndpoint of cluster osaka is not the authUrl in the Secret inventory\/osaka, which alone gets these credentials/,
  );
  assert.deepEqual(stranger.requests, []);
  const same = { secretRef: REF, apiEndpoint: `${world.cloud.url}/` };
  assert.equal(await world.trouble(same), 'well', 'the same address may be said');
});

test('a service that is down makes the cloud not ready; one that answers nonsense is told as such', async () => {
  await using world = await start();
  const { cloud, trouble } = world;
  cloud.instead.set('/compute/limits', (response) =>
    response.writeHead(503).end('<html>busy</html>'),
  );
  assert.match(
    await trouble(),
    /^ClusterNotReady: the compute service of .* answered with status 503$/,
  );
  cloud.instead.set('/compute/limits', (response) => response.end('<html>welcome</html>'));
  assert.match(await trouble(), /^AnswerUnintelligible: .*compute\/limits.* answered without JSON/);
  cloud.instead.set('/compute/limits', (response) => response.end('{"limits":[]}'));
  assert.match(await trouble(), /^AnswerUnintelligible: compute\/limits answered without limits/);
  cloud.instead.set('/compute/limits', (response) => response.destroy());
  assert.match(await trouble(), /^ClusterUnreachable: cannot use .*compute\/limits/);
  cloud.instead.clear();
  assert.equal(await trouble(), 'well');
});

test('what is no Keystone is told as such', async () => {
  await using world = await start();
  const { cloud, trouble } = world;
  cloud.instead.set('/v3/auth/tokens', (response) => response.writeHead(404).end('not here'));
  assert.match(await trouble(), /^AnswerUnintelligible: .*without the Identity API v3/);
  cloud.instead.set('/v3/auth/tokens', (response) => response.writeHead(201).end('{"token":{}}'));
  assert.match(await trouble(), /^AnswerUnintelligible: .*without a token/);
});

test('a cloud that never answers is given up after a while', async () => {
  await using world = await start();
  const { cloud, clock, probe } = world;
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  cloud.instead.set('/compute/limits', () => resolve());
  const looking = probe();
  await asked;
  await clock.advance(20_000);
  const finding = await looking;
  assert.equal(finding.kind === 'trouble' && finding.reason, 'ClusterUnreachable');
  assert.match(finding.kind === 'trouble' ? finding.message : '', /nothing answered in time/);
});

test('the authority of a cloud stands in the Secret', async () => {
  const authority = createAuthority();
  const tls = authority.issue({ commonName: 'cloud', usage: 'server', names: ['127.0.0.1'] });
  await using world = await start({ tls });
  assert.match(await world.trouble(), /^ClusterUnreachable: .*not signed by an authority/);
  await world.change({ caBundle: authority.cert });
  assert.equal(await world.trouble(), 'well');
});

test('the token goes to nobody but the services of the catalogue', async () => {
  await using world = await start();
  await using stranger = await OpenStackCloud.start();
  const links = [{ rel: 'next', href: `${stranger.url}/steal` }];
  world.cloud.instead.set('/compute/flavors/detail', (response) =>
    response.end(JSON.stringify({ flavors: [], flavors_links: links })),
  );
  assert.match(await world.trouble(), /^AnswerUnintelligible: .*without a next page of its own/);
  assert.deepEqual(stranger.requests, []);
});

const INCOMPLETE: readonly (readonly [what: string, credentials: Texts, message: RegExp])[] = [
  ['an address', { ...PASSWORD, authUrl: 'cloud' }, /has no address of Keystone: put authUrl/],
  ['a login', { username: 'me' }, /has no way to log in: give it applicationCredentialId/],
  ['a project', { username: 'me', password: 'x' }, /names no project/],
  [
    'the right region',
    { ...PASSWORD, region: 'Mars' },
    /no compute service in the region Mars; it knows the regions RegionOne/,
  ],
];
for (const [what, credentials, message] of INCOMPLETE) {
  test(`a Secret without ${what} is told`, async () => {
    await using world = await start({}, credentials);
    const trouble = await world.trouble();
    assert.match(trouble, /^CredentialsInvalid/);
    assert.match(trouble, message);
  });
}

test('a Secret that is missing is told, and its arrival too', async () => {
  await using world = await start();
  const { southbound, trouble, client, clock } = world;
  assert.match(await trouble({}), /^CredentialsMissing/);
  const other = { namespace: 'inventory', name: 'other' };
  assert.match(
    await trouble({ secretRef: other }),
    /^SecretMissing: there is no Secret inventory\/other/,
  );
  const told: string[] = [];
  using _ = southbound.onChange((name) => told.push(name));
  await clock.advance(0);
  await client.create(Secret, { metadata: { ...other, name: 'unrelated' }, data: {} });
  await client.create(Secret, { metadata: other, data: {} });
  await clock.advance(1000);
  assert.deepEqual(told, ['osaka']);
  southbound.forget('osaka');
  await client.delete(Secret, other);
  await clock.advance(1000);
  assert.deepEqual(told, ['osaka']);
});

test('credentials do not go to another machine without TLS, unless the Secret says so', async () => {
  await using world = await start({}, { ...PASSWORD, authUrl: 'http://keystone.invalid:5000' });
  assert.equal(
    await world.trouble(),
    'CredentialsInvalid: http://keystone.invalid:5000 is without TLS, and would be sent credentials in plain text: use https, or put allowPlainText: "true" into the Secret inventory/osaka',
  );
  await world.change({ allowPlainText: 'true' });
  assert.match(await world.trouble(), /^ClusterUnreachable: /);
});
