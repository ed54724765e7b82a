import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { startFixture, until } from '../support/tls-api-server-fixture.ts';

const never = new Promise<never>(() => {});

test('an aborted signal rejects with its reason, and nothing is sent', async () => {
  await using f = await startFixture();
  const reason = new Error('not needed');
  const signal = AbortSignal.abort(reason);
  await assert.rejects(f.client.list(ClusterRole, { signal }), reason);
  await assert.rejects(
    f.client.create(ClusterRole, { metadata: { name: 'r' } }, { signal }),
    reason,
  );
  await assert.rejects(f.client.discover({ signal }), reason);
  await assert.rejects(
    async () => f.client.watch(ClusterRole, { signal })[Symbol.asyncIterator]().next(),
    reason,
  );
  assert.equal(f.server.requests.length, 0);
});

test('a request that waits for its answer ends at once, and its connection with it', async () => {
  await using f = await startFixture();
  f.server.faults.add({ type: 'delay', until: never });
  const abort = new AbortController();
  const list = f.client.list(ClusterRole, { signal: abort.signal });
  await until(() => f.server.openRequests === 1);
  abort.abort('a reason that is no error');
  await assert.rejects(list, (reason) => reason === 'a reason that is no error');
  await until(() => f.server.openRequests === 0 && f.server.openConnections === 0);
});

test('a request in the middle of its answer ends at once, and its connection with it', async () => {
  await using f = await startFixture();
  f.server.faults.add({ type: 'stall' });
  await f.direct.create(ClusterRole, { metadata: { name: 'r' } });
  const abort = new AbortController();
  const list = f.client.list(ClusterRole, { signal: abort.signal });
  await until(() => f.server.openRequests === 1);
  const reason = new Error('enough');
  abort.abort(reason);
  await assert.rejects(list, reason);
  await until(() => f.server.openRequests === 0 && f.server.openConnections === 0);
});

test('a request between two attempts ends at once', async () => {
  await using f = await startFixture();
  f.server.faults.add({ type: 'answer', code: 503 }, { times: 9 });
  const abort = new AbortController();
  const list = f.client.list(ClusterRole, { signal: abort.signal });
  list.catch(() => {});
  await until(() => f.clock.pendingTimers > 0);
  const reason = new Error('enough');
  abort.abort(reason);
  await assert.rejects(list, reason);
  assert.equal(f.clock.pendingTimers, 0);
  assert.equal(f.server.requests.length, 1);
});

test('a request that waits for credentials ends at once', async () => {
  await using f = await startFixture({ config: { credentials: () => never } });
  const abort = new AbortController();
  const list = f.client.list(ClusterRole, { signal: abort.signal });
  const reason = new Error('enough');
  abort.abort(reason);
  await assert.rejects(list, reason);
});

test('a watch that waits for an event rejects with the reason, and its stream ends', async () => {
  await using f = await startFixture();
  const abort = new AbortController();
  const watch = f.client.watch(ClusterRole, { signal: abort.signal })[Symbol.asyncIterator]();
  const next = watch.next();
  await until(() => f.cluster.watches.length === 1);
  const reason = new Error('enough');
  abort.abort(reason);
  await assert.rejects(next, reason);
  await until(() => f.server.openRequests === 0 && f.cluster.watches.length === 0);
});

test('a watch gives no further event once its signal is aborted, not even one that has arrived', async () => {
  await using f = await startFixture();
  for (const name of ['x', 'y']) await f.direct.create(ClusterRole, { metadata: { name } });
  const abort = new AbortController();
  const watch = f.client.watch(ClusterRole, { signal: abort.signal })[Symbol.asyncIterator]();
  await watch.next();
  const reason = new Error('enough');
  abort.abort(reason);
  await assert.rejects(watch.next(), reason);
});

test('leaving the loop over a watch ends its stream, and others on the connection go on', async () => {
  await using f = await startFixture();
  const other = f.client.watch(ConfigMap)[Symbol.asyncIterator]();
  const otherEvent = other.next();
  await f.direct.create(ClusterRole, { metadata: { name: 'r' } });
  for await (const { type } of f.client.watch(ClusterRole)) {
    assert.equal(type, 'ADDED');
    break;
  }
  await until(() => f.cluster.watches.length === 1);
  await f.direct.create(ConfigMap, { metadata: { name: 'a', namespace: 'b' } });
  assert.equal((await otherEvent).value?.type, 'ADDED');
  assert.equal(f.server.connectionsMade, 1);
});

test('a watch can be ended while it waits for an event', async () => {
  await using f = await startFixture();
  const watch = f.client.watch(ClusterRole)[Symbol.asyncIterator]();
  const next = watch.next();
  await until(() => f.cluster.watches.length === 1);
  await watch.return?.();
  assert.deepEqual(await next, { done: true, value: undefined });
  assert.deepEqual(await watch.next(), { done: true, value: undefined });
  await until(() => f.server.openRequests === 0);
});

test('disposing a client ends all that is under way', async () => {
  await using f = await startFixture();
  f.server.faults.add(
    { type: 'delay', until: never },
    { when: ({ query }) => !query.has('watch') },
  );
  const list = assert.rejects(
    f.client.list(ClusterRole),
    /the client has been closed|the connection broke/,
  );
  const watch = assert.rejects(
    async () => f.client.watch(ClusterRole)[Symbol.asyncIterator]().next(),
    /the client has been closed|the connection broke/,
  );
  await until(() => f.server.openRequests === 2);
  await f.client[Symbol.asyncDispose]();
  await Promise.all([list, watch]);
  await until(() => f.server.openConnections === 0);
  await assert.rejects(f.client.list(ClusterRole), /the client has been closed/);
});

test('a client that was disposed before its first request makes none', async () => {
  await using f = await startFixture();
  await f.client[Symbol.asyncDispose]();
  await assert.rejects(f.client.list(ClusterRole), /the client has been closed/);
  assert.equal(f.server.connectionsMade, 0);
});
