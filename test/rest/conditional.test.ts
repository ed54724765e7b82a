import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { CLUSTERS, startRestWorld } from './rest-world.ts';
import { profileOf } from './seed-example.ts';

const world = await startRestWorld();
after(() => world[Symbol.asyncDispose]());
const { call, admin, user, client, state } = world;

const register = async (name: string): Promise<string> => {
  const { headers } = await call('POST', CLUSTERS, { token: admin, body: profileOf(name) });
  return String(headers.etag);
};

const touch = (name: string) => {
  const body = { status: { phase: 'Ready' } };
  return client.patch(ClusterRecord, { name }, { type: 'merge', body }, { subresource: 'status' });
};

test('304 until the cluster changes, its status included', async () => {
  const etag = await register('a');
  const get = (tag: string) =>
    call('GET', `${CLUSTERS}/a`, { token: user, headers: { 'if-none-match': tag } });
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const { code, text, headers } = await get(known);
    assert.deepEqual([code, text, headers.etag], [304, '', etag], known);
  }
  await touch('a');
  const { code, body, headers } = await get(etag);
  assert.equal(code, 200);
  assert.notEqual(headers.etag, etag);
  const { cluster_status: status } = body.cluster_profile as { cluster_status: object };
  assert.deepEqual(status, { phase: 'Ready' });
});

test('304 for a list in which nothing changed, whatever else was written', async () => {
  await register('b');
  const first = await call('GET', CLUSTERS, { token: user });
  await client.create(Namespace, { metadata: { name: 'unrelated' } });
  const headers = { 'if-none-match': String(first.headers.etag) };
  assert.equal((await call('GET', CLUSTERS, { token: user, headers })).code, 304);
  await touch('b');
  assert.equal((await call('GET', CLUSTERS, { token: user, headers })).code, 200);
});

test('412 when If-Match does not fit, and nothing goes', async () => {
  const etag = await register('c');
  await touch('c');
  const before = state();
  for (const tag of [etag, '"other"', `W/${etag}`]) {
    const headers = { 'if-match': tag };
    for (const [method, token] of [
      ['DELETE', admin],
      ['GET', user],
    ] as const) {
      const { code, body } = await call(method, `${CLUSTERS}/c`, { token, headers });
      assert.deepEqual([code, body.reason], [412, 'Changed'], `${method} ${tag}`);
    }
  }
  assert.equal(state(), before);
  const malformed = { 'if-match': 'no quotes' };
  const wrong = await call('DELETE', `${CLUSTERS}/c`, { token: admin, headers: malformed });
  assert.equal(wrong.code, 400);
});

test('a cluster goes when If-Match fits', async () => {
  const etag = await register('d');
  const headers = { 'if-match': `"other", ${etag}` };
  assert.equal((await call('DELETE', `${CLUSTERS}/d`, { token: admin, headers })).code, 200);
  await register('d');
  const any = { 'if-match': '*' };
  assert.equal((await call('DELETE', `${CLUSTERS}/d`, { token: admin, headers: any })).code, 200);
});

test('If-None-Match: * registers only what is new', async () => {
  const post = () =>
    call('POST', CLUSTERS, {
      token: admin,
      body: profileOf('e'),
      headers: { 'if-none-match': '*' },
    });
  assert.equal((await post()).code, 201);
  assert.equal((await post()).code, 412);
  const headers = { 'if-none-match': 'no quotes' };
  const before = state();
  const malformed = { token: admin, body: profileOf('new'), headers };
  assert.equal((await call('POST', CLUSTERS, malformed)).code, 400);
  assert.equal(state(), before);
});

test('a cluster that is held leaves, and its name is not free yet', async () => {
  await register('f');
  const finalizers = (names: readonly string[]) => {
    const body = { metadata: { finalizers: names } };
    return client.patch(ClusterRecord, { name: 'f' }, { type: 'merge', body });
  };
  await finalizers(['example.com/hold']);
  const gone = await call('DELETE', `${CLUSTERS}/f`, { token: admin });
  assert.deepEqual([gone.code, gone.body.outcome], [200, 'leaving']);
  const post = () => call('POST', CLUSTERS, { token: admin, body: profileOf('f') });
  const early = await post();
  assert.deepEqual([early.code, early.body.reason], [409, 'Leaving']);
  await finalizers([]);
  assert.equal((await post()).code, 201);
});

test('people get line breaks, and programs do not', async () => {
  await register('read');
  const ask = (agent: string) =>
    call('GET', `${CLUSTERS}/read`, { token: user, headers: { 'user-agent': agent } });
  const [people, programs] = [await ask('curl/8.5.0'), await ask('my-program/1.0')];
  assert.deepEqual(people.body, programs.body);
  assert.match(people.text, /^\{\n {2}"cluster_profile": \{\n/);
  assert.equal(programs.text.trimEnd().includes('\n'), false);
});
