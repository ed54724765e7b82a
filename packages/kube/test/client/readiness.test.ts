import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError } from '../../src/errors.ts';
import { startFixture } from '../support/tls-api-server-fixture.ts';

const on = (path: string) => ({ when: (request: { path: string }) => request.path === path });
const answer = (code: number, body: string) => ({ type: 'answer', code, body }) as const;

test('a server that says ok is ready', async () => {
  await using f = await startFixture();
  f.server.faults.add(answer(200, 'ok'), on('/readyz'));
  assert.equal(await f.client.ready?.(), true);
});

test('a server that says no is not', async () => {
  await using f = await startFixture({ client: { retry: { attempts: 1 } } });
  f.server.faults.add(answer(500, '[-]etcd failed'), on('/readyz'));
  assert.equal(await f.client.ready?.(), false);
});

test('an old server is asked whether it is healthy', async () => {
  await using f = await startFixture();
  f.server.faults.add(answer(404, 'not found'), on('/readyz'));
  f.server.faults.add(answer(200, 'ok'), on('/healthz'));
  assert.equal(await f.client.ready?.(), true);
});

test('a server that cannot be reached is an error', async () => {
  await using f = await startFixture({ client: { retry: { attempts: 1 } } });
  f.server.faults.add({ type: 'reset' }, on('/readyz'));
  await assert.rejects(async () => f.client.ready?.(), ConnectionError);
});

test('discovery tells which API versions are missing', async () => {
  await using f = await startFixture();
  const versions = [{ version: 'v1beta1', freshness: 'Stale' }, { version: 'v1' }];
  const items = [{ metadata: { name: 'metrics.k8s.io' }, versions }];
  const respond = (body: object) => answer(200, JSON.stringify(body));
  f.server.faults.add(respond({ kind: 'APIGroupDiscoveryList', items: [] }), on('/api'));
  f.server.faults.add(respond({ kind: 'APIGroupDiscoveryList', items }), on('/apis'));
  const missing: string[] = [];
  await f.client.discover({ onMissing: (apiVersion) => missing.push(apiVersion) });
  assert.deepEqual(missing, ['metrics.k8s.io/v1beta1']);
});
