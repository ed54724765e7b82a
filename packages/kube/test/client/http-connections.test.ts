import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { startFixture, until } from '../support/tls-api-server-fixture.ts';

const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

test('many requests share a few connections that stay open', async () => {
  await using f = await startFixture();
  await f.direct.create(ClusterRole, { metadata: { name: 'r' } });
  await Promise.all(many(200, () => f.client.get(ClusterRole, { name: 'r' })));
  assert.ok(f.server.connectionsMade <= 32, `${f.server.connectionsMade} connections`);
  const made = f.server.connectionsMade;
  for (const _ of many(20, () => 0)) await f.client.get(ClusterRole, { name: 'r' });
  assert.equal(f.server.connectionsMade, made);
});

test('hundreds of open watches hold up neither requests nor each other', async () => {
  await using f = await startFixture({ server: { streams: 100 } });
  const watches = many(400, () => f.client.watch(ConfigMap)[Symbol.asyncIterator]());
  const events = watches.map((watch) => watch.next());
  await until(() => f.cluster.watches.length === 400);
  assert.ok(f.server.connectionsMade <= 8, `${f.server.connectionsMade} connections`);
  await Promise.all(many(40, () => f.client.list(ClusterRole)));
  await f.client.create(ConfigMap, { metadata: { name: 'a', namespace: 'b' } });
  for (const event of events) assert.equal((await event).value?.type, 'ADDED');
  await Promise.all(watches.map((watch) => watch.return?.()));
});

test('a reader that is slow holds up its own watch only, and the server notices', async () => {
  await using f = await startFixture();
  const slow = f.client.watch(ConfigMap)[Symbol.asyncIterator]();
  const fast = f.client.watch(ClusterRole)[Symbol.asyncIterator]();
  const firstSlow = slow.next();
  await until(() => f.cluster.watches.length === 1);
  const data = { text: 'x'.repeat(100_000) };
  await f.direct.create(ConfigMap, { metadata: { name: 'a', namespace: 'b' }, data } as never);
  await firstSlow;
  for (const at of many(60, (index) => index)) {
    const body = { metadata: { labels: { at: String(at) } } };
    await f.direct.patch(ConfigMap, { name: 'a', namespace: 'b' }, { type: 'merge', body });
  }
  const firstFast = fast.next();
  await until(() => f.cluster.watches.length === 2);
  await f.direct.create(ClusterRole, { metadata: { name: 'r' } });
  assert.equal((await firstFast).value?.type, 'ADDED');
  assert.ok(f.server.eventsSent < 30, `${f.server.eventsSent} events left the server`);
  for (const at of many(60, (index) => index)) {
    const { value } = await slow.next();
    assert.equal(value?.object.metadata.labels?.at, String(at));
  }
  await Promise.all([slow.return?.(), fast.return?.()]);
});

test('a server without HTTP/2 serves watches too', async () => {
  await using f = await startFixture({ server: { streams: 0 } });
  const watches = many(40, () => f.client.watch(ClusterRole)[Symbol.asyncIterator]());
  const events = watches.map((watch) => watch.next());
  await until(() => f.cluster.watches.length === 40);
  await f.client.create(ClusterRole, { metadata: { name: 'r' } });
  for (const event of events) assert.equal((await event).value?.type, 'ADDED');
  assert.deepEqual(
    new Set(f.server.requests.map(({ httpVersion }) => httpVersion)),
    new Set(['1.1']),
  );
  await Promise.all(watches.map((watch) => watch.return?.()));
});
