import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { after, test } from 'node:test';
import { ConfigError } from '@perigee/kube/errors';
import { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';
import { authority, openRestFront, tls } from './rest-front.ts';
import { CLUSTERS, startRestWorld } from './rest-world.ts';
import { profileOf, seedExample, seedSpec } from './seed-example.ts';

const world = await startRestWorld({ extensions: [] });
after(() => world[Symbol.asyncDispose]());
const { admin, user, nobody } = world;

test('the token of the caller decides, and no other', async () => {
  await using rest = await openRestFront(world);
  const { call } = rest;
  assert.equal((await call('GET', CLUSTERS)).code, 401);
  assert.equal((await call('GET', CLUSTERS, { token: 'made-up' })).code, 401);
  const basic = { authorization: 'Basic YTpi' };
  assert.equal((await call('GET', CLUSTERS, { headers: basic })).code, 401);
  assert.equal((await call('GET', CLUSTERS, { token: nobody })).code, 403);
  assert.equal((await call('POST', CLUSTERS, { token: user, body: seedExample })).code, 403);
  const created = await call('POST', CLUSTERS, { token: admin, body: seedExample });
  assert.equal(created.code, 201);
  const { body } = await call('GET', `${CLUSTERS}/cluster1`, { token: user });
  const { cluster_spec: spec } = body.cluster_profile as { cluster_spec: object };
  assert.deepEqual(spec, seedSpec);
  const headers = { 'impersonate-user': 'perigee-admin' };
  assert.equal((await call('GET', CLUSTERS, { token: user, headers })).code, 400);
  const odd = profileOf('odd', { colour: 'blue' });
  const warned = await call('POST', CLUSTERS, { token: admin, body: odd });
  assert.match(String(warned.headers.warning), /^299 - ".*cluster_spec\.colour/);
  const close = { connection: 'close' };
  const large = { token: admin, body: ' '.repeat(5 * 2 ** 20), headers: close };
  assert.equal((await call('POST', CLUSTERS, large)).code, 413);
  const head = await call('HEAD', `${CLUSTERS}/cluster1`, { token: user });
  assert.deepEqual([head.code, head.text], [200, '']);
  const gone = await call('DELETE', `${CLUSTERS}/cluster1`, { token: admin });
  assert.equal(gone.code, 200);
});

test('callers who come at the same time stay apart', async () => {
  await using rest = await openRestFront(world);
  const codes = await Promise.all(
    Array.from({ length: 60 }, async (_, at) => {
      const token = [admin, user, nobody][at % 3] ?? '';
      const body = profileOf(`at-once-${at}`);
      return (await rest.call('POST', CLUSTERS, { token, body })).code;
    }),
  );
  assert.deepEqual(
    codes,
    Array.from({ length: 60 }, (_, at) => (at % 3 === 0 ? 201 : 403)),
  );
});

test('503 with Retry-After when the API server cannot be reached', async () => {
  await using rest = await openRestFront({ ...world, url: 'https://127.0.0.1:1' });
  const { code, headers, body } = await rest.call('GET', CLUSTERS, { token: admin });
  assert.equal(code, 503);
  assert.ok(Number(headers['retry-after']) > 0);
  assert.equal(body.reason, 'NotReady');
});

test('what ails the API server is told', async () => {
  let status = { code: 503, retry: '7' };
  const stub = createServer({ ...tls }, (_request, response) => {
    const { code, retry } = status;
    const headers = { 'content-type': 'application/json', 'retry-after': retry };
    response.writeHead(code, headers).end(JSON.stringify({ kind: 'Status', message: 'no', code }));
  }).listen(0, '127.0.0.1');
  await once(stub, 'listening');
  after(() => stub.closeAllConnections());
  after(() => stub.close());
  const { port } = stub.address() as { port: number };
  await using rest = await openRestFront({
    admin,
    url: `https://127.0.0.1:${port}`,
    ca: authority.cert,
  });
  const post = () => rest.call('POST', CLUSTERS, { token: admin, body: seedExample });
  const busy = await post();
  assert.deepEqual([busy.code, busy.headers['retry-after']], [503, '7']);
  status = { code: 500, retry: '' };
  const failed = await post();
  assert.equal(failed.code, 500);
  assert.equal(failed.headers['content-type'], 'application/problem+json');
});

test('503 as long as the kind is not there', async () => {
  const bare = await startRestWorld();
  after(() => bare[Symbol.asyncDispose]());
  const definition = { name: 'clusters.globalscheduler.com' };
  const changes = bare.client.watch(CustomResourceDefinition, { sendInitialEvents: true });
  await bare.client.delete(CustomResourceDefinition, definition);
  // It is served until the controller of definitions has taken its objects away.
  for await (const { type, object } of changes) {
    if (type === 'DELETED' && object.metadata.name === definition.name) break;
  }
  const { code, headers } = await bare.call('GET', CLUSTERS, { token: bare.admin });
  assert.equal(code, 503);
  assert.ok(Number(headers['retry-after']) > 0);
});

test('tokens do not go over a connection that others can read', async () => {
  await assert.rejects(openRestFront({ ...world, url: 'http://127.0.0.1:1' }), ConfigError);
});
