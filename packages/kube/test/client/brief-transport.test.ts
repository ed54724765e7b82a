import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WrittenObject } from '@perigee/api/meta/resource-kind';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { ApiClient } from '../../src/client/api-client.ts';
import { BriefTransport } from '../../src/client/brief-transport.ts';
import type { ClusterConfig } from '../../src/client/cluster-config.ts';
import { realClock as clock } from '../../src/clock/real-clock.ts';
import { ConfigError, ConnectionError, isNotFound } from '../../src/errors.ts';
import { startFixture } from '../support/tls-api-server-fixture.ts';

const open = (config: ClusterConfig): ApiClient =>
  new ApiClient(config, new BriefTransport(config), { clock, retry: { attempts: 1 } });

test('objects are written and read over connections that stay open', async () => {
  await using f = await startFixture({ server: { prefix: '/clusters/member1' } });
  await using client = open({ server: f.server.url, caBundle: f.server.ca });
  const ref = { name: 'a', namespace: 'default' };
  const written = { metadata: ref, data: { x: 'ä' } } as WrittenObject;
  const created = await client.create(ConfigMap, written);
  assert.deepEqual(await client.get(ConfigMap, ref), created);
  assert.deepEqual((await client.list(ConfigMap)).items, [created]);
  await client.delete(ConfigMap, ref);
  await assert.rejects(client.get(ConfigMap, ref), isNotFound);
  assert.equal(f.server.connectionsMade, 1);
  assert.deepEqual(new Set(f.server.requests.map((r) => r.httpVersion)), new Set(['1.1']));
});

test('a watch goes on until nobody wants it any more', async () => {
  await using f = await startFixture();
  await using client = open({ server: f.server.url, caBundle: f.server.ca });
  const stop = new AbortController();
  const watch = client.watch(ClusterRole, { signal: stop.signal })[Symbol.asyncIterator]();
  const first = watch.next();
  await client.create(ClusterRole, { metadata: { name: 'r' } });
  const { value } = await first;
  assert.equal(value?.type === 'ADDED' && value.object.metadata.name, 'r');
  const second = watch.next();
  stop.abort(new Error('enough'));
  await assert.rejects(second, /enough/);
});

test('disposing breaks off what is under way', async () => {
  await using f = await startFixture();
  const client = open({ server: f.server.url, caBundle: f.server.ca });
  const watch = client.watch(ClusterRole)[Symbol.asyncIterator]();
  const first = watch.next();
  await client.create(ClusterRole, { metadata: { name: 'r' } });
  await first;
  const second = watch.next();
  const broken = assert.rejects(second, ConnectionError);
  await client[Symbol.asyncDispose]();
  await broken;
});

test('what hinders a connection is told as by every other client', async () => {
  await using f = await startFixture();
  const { url, ca } = f.server;
  const told = async (config: ClusterConfig): Promise<unknown> => {
    await using client = open(config);
    return client.list(ClusterRole).then(
      () => assert.fail('the list was not to succeed'),
      (error: unknown) => error,
    );
  };
  const untrusted = await told({ server: url });
  assert.ok(untrusted instanceof ConnectionError && untrusted.failure === 'tls');
  const refused = await told({ server: 'https://127.0.0.1:1' });
  assert.ok(refused instanceof ConnectionError && refused.failure === 'refused');
  const plain = await told({ server: url.replace('https', 'http') });
  assert.ok(plain instanceof ConnectionError);
  const credentials = () => Promise.resolve({ authorization: 'Bearer a\nb' });
  assert.ok((await told({ server: url, caBundle: ca, credentials })) instanceof ConfigError);
});
