import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import type { WatchEvent } from '../../src/client/client.ts';
import { isInitialEventsEnd } from '../../src/client/initial-events-end.ts';
import { ApiError, ConnectionError, isGone } from '../../src/errors.ts';
import type { WatchFault } from '../support/tls-api-server-faults.ts';
import { type Fixture, startFixture, until } from '../support/tls-api-server-fixture.ts';

const addRoles = async (f: Fixture, ...names: string[]): Promise<void> => {
  for (const name of names) await f.direct.create(ClusterRole, { metadata: { name } });
};

/** The events for a reader until the watch ends, and the error that ends it. */
const readAll = async (f: Fixture, options = {}): Promise<{ got: string[]; error?: unknown }> => {
  const got: string[] = [];
  try {
    for await (const { type, object } of f.client.watch(ClusterRole, options)) {
      got.push(`${type} ${object.metadata.name}`);
    }
    return { got };
  } catch (error) {
    return { got, error };
  }
};

const withFault = async (then: WatchFault['then'], server = {}) => {
  await using f = await startFixture({ server });
  await addRoles(f, 'x', 'y');
  f.server.faults.add({ type: 'watch', afterEvents: 1, then });
  return await readAll(f);
};

for (const [how, server] of [
  ['over HTTP/2', {}],
  ['over HTTP/1.1', { streams: 0 }],
] as const) {
  for (const then of ['reset', 'reset-mid-event', 'truncate'] as const) {
    test(`${then} ${how}: what came before arrives, then a ConnectionError`, async () => {
      const { got, error } = await withFault(then, server);
      assert.deepEqual(got, ['ADDED x']);
      assert.ok(error instanceof ConnectionError, String(error));
      assert.match(error.message, /127\.0\.0\.1/);
    });
  }

  test(`an ERROR event ${how} is the ApiError that it tells of`, async () => {
    const { got, error } = await withFault('gone', server);
    assert.deepEqual(got, ['ADDED x']);
    assert.ok(error instanceof ApiError && isGone(error));
  });

  test(`a clean end ${how} ends the iteration`, async () => {
    assert.deepEqual(await withFault('end', server), { got: ['ADDED x'] });
  });
}

test('a duplicate event is handed on as it is', async () => {
  await using f = await startFixture();
  await addRoles(f, 'x', 'y');
  const then = 'duplicate';
  f.server.faults.add({ type: 'watch', afterEvents: 0, then });
  const watch = f.client.watch(ClusterRole)[Symbol.asyncIterator]();
  const events = [await watch.next(), await watch.next(), await watch.next()];
  assert.deepEqual(
    events.map(({ value }) => value?.object.metadata.name),
    ['x', 'x', 'y'],
  );
  await watch.return?.();
});

test('a crash of the server breaks every watch', async () => {
  await using f = await startFixture();
  const broken = Array.from({ length: 3 }, () => readAll(f));
  await until(() => f.cluster.watches.length === 3);
  f.server.resetConnections();
  for (const { error } of await Promise.all(broken)) assert.ok(error instanceof ConnectionError);
});

test('a watch that the server refuses throws what the server says', async () => {
  await using f = await startFixture();
  await addRoles(f, 'x');
  f.cluster.compact();
  await f.direct.delete(ClusterRole, { name: 'x' });
  f.cluster.compact();
  const { error } = await readAll(f, { resourceVersion: '1' });
  assert.ok(isGone(error));
  f.server.faults.add({
    type: 'answer',
    code: 403,
    body: { kind: 'Status', code: 403, message: 'no' },
  });
  assert.match(String((await readAll(f)).error), /no; ask an administrator/);
});

test('the initial events end with a bookmark that is told', async () => {
  await using f = await startFixture();
  await addRoles(f, 'x', 'y');
  const seen: WatchEvent<unknown>[] = [];
  for await (const event of f.client.watch(ClusterRole, { sendInitialEvents: true })) {
    seen.push(event);
    if (isInitialEventsEnd(event)) break;
  }
  assert.deepEqual(
    seen.map(({ type }) => type),
    ['ADDED', 'ADDED', 'BOOKMARK'],
  );
  assert.deepEqual(Object.fromEntries(f.server.requests[0]?.query ?? []), {
    watch: 'true',
    allowWatchBookmarks: 'true',
    sendInitialEvents: 'true',
    resourceVersionMatch: 'NotOlderThan',
  });
});

test('events asked for in advance come in order', async () => {
  await using f = await startFixture();
  await addRoles(f, 'x');
  const watch = f.client.watch(ClusterRole)[Symbol.asyncIterator]();
  const events = Array.from({ length: 4 }, () => watch.next());
  await until(() => f.cluster.watches.length === 1);
  await addRoles(f, 'y', 'z');
  const names = (await Promise.all(events.slice(0, 3))).map(
    ({ value }) => value?.object.metadata.name,
  );
  assert.deepEqual(names, ['x', 'y', 'z']);
  await watch.return?.();
  assert.equal((await events[3])?.done, true);
});

test('options of a watch reach the server', async () => {
  await using f = await startFixture();
  const watch = f.client
    .watch(ConfigMap, {
      namespace: 'a',
      labelSelector: 'x=y',
      fieldSelector: 'metadata.name=z',
      resourceVersion: '0',
      timeoutSeconds: 300,
    })
    [Symbol.asyncIterator]();
  const next = watch.next();
  await until(() => f.cluster.watches.length === 1);
  await watch.return?.();
  await next;
  const [request] = f.server.requests;
  assert.equal(request?.path, '/api/v1/namespaces/a/configmaps');
  assert.deepEqual(Object.fromEntries(request?.query ?? []), {
    watch: 'true',
    allowWatchBookmarks: 'true',
    labelSelector: 'x=y',
    fieldSelector: 'metadata.name=z',
    resourceVersion: '0',
    timeoutSeconds: '300',
  });
});

test('an event that is too large breaks the watch instead of filling the memory', async () => {
  await using f = await startFixture({ client: { largestEventBytes: 1000 } });
  await addRoles(f, 'x');
  await f.direct.create(ClusterRole, {
    metadata: { name: 'y', labels: { long: 'é'.repeat(600) } },
  });
  const { got, error } = await readAll(f);
  assert.deepEqual(got, ['ADDED x']);
  assert.match(String(error), /ConnectionError.*an event is too large/);
});

test('events of an unknown type are passed over, and what is not JSON breaks the watch', async () => {
  await using f = await startFixture();
  const body =
    '{"type":"NEWS","object":{}}\n{"type":"ADDED","object":{"metadata":{"name":"x"}}}\n<html>\n';
  f.server.faults.add({ type: 'answer', code: 200, body });
  const { got, error } = await readAll(f);
  assert.deepEqual(got, ['ADDED x']);
  assert.match(String(error), /ConnectionError.*an event is not JSON/);
});
