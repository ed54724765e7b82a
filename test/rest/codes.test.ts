import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Work } from '@perigee/api/kinds/placement/work';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { type Answer, CLUSTERS, type Sent, startRestWorld } from './rest-world.ts';
import { profileOf, seedExample } from './seed-example.ts';

const world = await startRestWorld();
after(() => world[Symbol.asyncDispose]());
const { call, admin, user, nobody, client, state } = world;

const register = (sent: Sent) => call('POST', CLUSTERS, { token: admin, ...sent });

/** A refusal in the form of RFC 9457 that wrote nothing. */
const refused = async (code: number, work: () => Promise<Answer>): Promise<Answer> => {
  const before = state();
  const answer = await work();
  assert.equal(answer.code, code, answer.text);
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  const { status, title, detail, type } = answer.body;
  assert.deepEqual([status, type], [code, 'about:blank']);
  assert.ok(title !== '' && detail !== '');
  assert.equal(state(), before);
  return answer;
};

const fieldsOf = ({ body }: Answer) => (body.errors as { field: string }[]).map((e) => e.field);

test('201 for a new cluster, 200 for the same one again', async () => {
  const first = await register({ body: seedExample });
  assert.equal(first.code, 201);
  assert.equal(first.headers.location, `${CLUSTERS}/name/cluster1`);
  const before = state();
  const again = await register({ body: seedExample });
  assert.equal(again.code, 200);
  assert.equal(again.text, first.text);
  assert.equal(state(), before);
});

test('a body without the object around it is understood', async () => {
  const body = { cluster_name: 'bare', cluster_spec: { type: 'virtual' } };
  assert.equal((await register({ body })).code, 201);
});

test('400 names the field that is wrong', async () => {
  const spec = 'cluster_profile.cluster_spec';
  const cases: readonly (readonly [Sent['body'], ...string[]])[] = [
    [profileOf('c', { CPUCapacity: 'eight' }), `${spec}.CPUCapacity`],
    [profileOf('c', { flavors: [{ FlavorID: 'a' }] }), `${spec}.flavors[0].TotalCapacity`],
    [
      profileOf('c', { storage: [{ TypeID: 'tape', StorageCapacity: 1 }] }),
      `${spec}.storage[0].TypeID`,
    ],
    [profileOf('c', { GeoLocation: 'Bellevue' }), `${spec}.GeoLocation`],
    [profileOf('c', { Region: { AvailabilityZone: 1 } }), `${spec}.Region.AvailabilityZone`],
    [profileOf('c', { ipAdrress: 'no address' }), `${spec}.ipAdrress`],
    [
      profileOf('c', { MemCapacity: -1, EipCapacity: 1.5 }),
      `${spec}.EipCapacity`,
      `${spec}.MemCapacity`,
    ],
    [profileOf('Cluster1'), 'cluster_profile.cluster_name'],
    [profileOf('x'.repeat(49)), 'cluster_profile.cluster_name'],
    [profileOf(''), 'cluster_profile.cluster_name'],
    [{ cluster_profile: { cluster_spec: {} } }, 'cluster_profile.cluster_name'],
    [{ cluster_profile: { cluster_name: 7, cluster_spec: {} } }, 'cluster_profile.cluster_name'],
    [{ cluster_profile: { cluster_name: 'c' } }, 'cluster_profile.cluster_spec'],
    [{ cluster_profile: { cluster_name: 'c', cluster_spec: [] } }, 'cluster_profile.cluster_spec'],
    [{ cluster_profile: [] }, 'cluster_profile'],
    [{ something: 'else' }, 'cluster_profile'],
    [profileOf('c', {}, { 'a b': 'c' }), 'cluster_profile.cluster_labels'],
    [profileOf('c', {}, { a: 1 as never }), 'cluster_profile.cluster_labels[a]'],
    ['[]', 'body'],
    ['null', 'body'],
    ['', 'body'],
    ['{"cluster_profile": ', 'body'],
    ['{ “cluster_profile”: {} }', 'body'],
    [Buffer.from([0x22, 0xff, 0x22]), 'body'],
  ];
  for (const [body, ...fields] of cases) {
    const answer = await refused(400, () => register({ body: body ?? '' }));
    assert.deepEqual(fieldsOf(answer), fields, answer.text);
  }
});

test('400 for two spellings that contradict each other', async () => {
  const body = profileOf('c', { HomeDispatcher: 'a', 'HomeDispatcher ': 'b' });
  const answer = await refused(400, () => register({ body }));
  assert.match(String(answer.body.detail), /another spelling/);
});

test('400 for names, ids and parameters that cannot be', async () => {
  for (const path of ['/name/Cluster1', '/id/cluster1', '/A', '/name/', '/id/']) {
    await refused(400, () => call('GET', CLUSTERS + path, { token: user }));
    await refused(400, () => call('DELETE', CLUSTERS + path, { token: admin }));
  }
  const parameters = ['limit=0', 'limit=-1', 'limit=x', 'limit=1&limit=2', 'fieldSelector=x'];
  for (const one of parameters) {
    const answer = await refused(400, () => call('GET', `${CLUSTERS}?${one}`, { token: user }));
    assert.deepEqual(fieldsOf(answer), [one.split('=')[0]]);
  }
  for (const one of [
    'labelSelector=a%3D%3D%3Db',
    'fieldSelector=spec.cpuCapacity%3D8',
    'continue=x',
  ]) {
    await refused(400, () => call('GET', `${CLUSTERS}?${one}`, { token: user }));
  }
  await refused(400, () => call('DELETE', `${CLUSTERS}/bare?force=perhaps`, { token: admin }));
});

test('401 for whoever does not say who they are, 403 for whoever may not', async () => {
  const anonymous = await refused(401, () => call('GET', CLUSTERS));
  assert.match(String(anonymous.headers['www-authenticate']), /^Bearer/);
  await refused(401, () => call('POST', CLUSTERS, { token: 'made-up', body: profileOf('c') }));
  await refused(401, () => call('GET', '/globalscheduler/v1/openapi.json'));
  await refused(403, () => call('GET', CLUSTERS, { token: nobody }));
  const post = await refused(403, () => register({ token: user, body: profileOf('c') }));
  assert.match(String(post.body.detail), /cannot create resource "clusters"/);
  const gone = await refused(403, () => call('DELETE', `${CLUSTERS}/bare`, { token: user }));
  assert.match(String(gone.body.detail), /cannot delete resource "clusters"/);
});

test('404 for what is not there', async () => {
  const id = '3dda2801-d675-4688-a63f-dcda8d327f51';
  for (const path of ['/name/other', `/id/${id}`, `/${id}`, '/other', '/what/is/this', '/x/y']) {
    await refused(404, () => call('GET', CLUSTERS + path, { token: user }));
  }
  for (const path of [
    '/globalscheduler/',
    '/globalscheduler/v2/clusters',
    '/globalscheduler/v1/',
  ]) {
    await refused(404, () => call('GET', path, { token: user }));
  }
  await refused(404, () => call('DELETE', `${CLUSTERS}/name/other`, { token: admin }));
});

test('405 says what is allowed', async () => {
  const patch = await refused(405, () => call('PATCH', `${CLUSTERS}/bare`, { token: admin }));
  assert.equal(patch.headers.allow, 'GET, HEAD, PUT, DELETE, OPTIONS');
  const all = await refused(405, () => call('DELETE', CLUSTERS, { token: admin }));
  assert.equal(all.headers.allow, 'GET, HEAD, POST, OPTIONS');
  await refused(405, () => call('POST', '/globalscheduler/v1/openapi.json', { token: admin }));
});

test('409 for a name that another cluster has', async () => {
  const body = profileOf('cluster1', { CPUCapacity: 9 });
  const answer = await refused(409, () => register({ body }));
  assert.equal(answer.body.reason, 'NameTaken');
});

test('412 for bound work, unless by force', async () => {
  await register({ body: profileOf('busy') });
  const namespace = 'karmada-es-busy';
  const labels = { 'resourcebinding.karmada.io/permanent-id': 'b1' };
  await client.create(Namespace, { metadata: { name: namespace } });
  await client.create(Work, { metadata: { name: 'web-1', namespace, labels }, spec: {} });
  const path = `${CLUSTERS}/name/busy`;
  const answer = await refused(412, () => call('DELETE', path, { token: admin }));
  assert.equal(answer.body.reason, 'HasWork');
  assert.match(String(answer.body.detail), /karmada-es-busy\/web-1/);
  assert.equal((await call('DELETE', `${path}?force=true`, { token: admin })).code, 200);
});

test('413 for a body of 5 MiB', async () => {
  const body = JSON.stringify(profileOf('c', { operator: { operator: 'x'.repeat(5 * 2 ** 20) } }));
  const close = { connection: 'close' };
  await refused(413, () => register({ body, headers: close }));
  const chunked = { ...close, 'transfer-encoding': 'chunked' };
  await refused(413, () => register({ body, headers: chunked }));
});

test('415 for what is no JSON', async () => {
  const body = JSON.stringify(profileOf('c'));
  const types = ['application/x-www-form-urlencoded', 'text/plain', 'application/yaml'];
  for (const type of types) {
    await refused(415, () => register({ body, headers: { 'content-type': type } }));
  }
  await refused(415, () => register({ body, headers: { 'content-encoding': 'gzip' } }));
  const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
  assert.equal((await register({ body, headers })).code, 201);
});

test('an unknown field is left out, and told', async () => {
  const { cluster_profile: profile } = profileOf('odd', { colour: 'blue', Region: { star: 1 } });
  const body = { cluster_profile: { ...(profile as object), size: 1, cluster_id: 'x' }, more: 1 };
  const { code, headers, text } = await register({ body });
  assert.equal(code, 201);
  assert.doesNotMatch(text, /blue|star|size|more/);
  const warnings = String(headers.warning);
  for (const field of [
    'more',
    'cluster_profile.size',
    'cluster_profile.cluster_id',
    'cluster_profile.cluster_spec.colour',
    'cluster_profile.cluster_spec.Region.star',
  ]) {
    assert.ok(warnings.includes(`\\"${field}\\"`), `${field} in ${warnings}`);
  }
});

test('HEAD tells what GET would, and OPTIONS what there is', async () => {
  const got = await call('GET', `${CLUSTERS}/cluster1`, { token: user });
  const head = await call('HEAD', `${CLUSTERS}/cluster1`, { token: user });
  assert.deepEqual([head.code, head.text], [200, '']);
  assert.equal(head.headers.etag, got.headers.etag);
  assert.equal(head.headers['content-length'], got.headers['content-length']);
  const options = await call('OPTIONS', CLUSTERS, { token: user });
  assert.deepEqual([options.code, options.headers.allow], [200, 'GET, HEAD, POST, OPTIONS']);
});
