import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { ApiError, ConnectionError } from '../../src/errors.ts';
import type { AnswerFault } from '../support/tls-api-server-faults.ts';
import { type Fixture, startFixture, until } from '../support/tls-api-server-fixture.ts';

const role = { metadata: { name: 'r' } };
const failing = (code: number, headers: { [name: string]: string } = {}): AnswerFault => ({
  type: 'answer',
  code,
  headers,
  body: { kind: 'Status', code, message: 'not now' },
});

/** The moments, in milliseconds from now, at which the server sees the attempts of a call. */
const attempts = async (f: Fixture, call: () => Promise<unknown>): Promise<readonly number[]> => {
  const start = f.clock.now();
  const before = f.server.requests.length;
  const moments: number[] = [];
  let over = false;
  const outcome = call().finally(() => {
    over = true;
  });
  outcome.catch(() => {});
  while (!over) {
    await until(() => over || f.clock.pendingTimers > 0);
    for (const _ of f.server.requests.slice(before + moments.length)) {
      moments.push(f.clock.now() - start);
    }
    if (!over) await f.clock.runUntil(() => f.clock.pendingTimers === 0, 600_000);
  }
  for (const _ of f.server.requests.slice(before + moments.length)) {
    moments.push(f.clock.now() - start);
  }
  await outcome.catch(() => {});
  return moments;
};

const between = (value: number | undefined, least: number, most: number): void =>
  assert.ok(
    value !== undefined && value >= least && value <= most,
    `${value} in [${least}, ${most}]`,
  );

test('a read is tried again after failures of the server, ever more slowly', async () => {
  await using f = await startFixture();
  for (const code of [500, 502, 503, 504]) f.server.faults.add(failing(code));
  const moments = await attempts(f, () => f.client.list(ConfigMap));
  assert.equal(moments.length, 5);
  const waits = moments.map((moment, at) => moment - (moments[at - 1] ?? 0)).slice(1);
  for (const [at, wait] of waits.entries()) between(wait, 100 * 2 ** at, 200 * 2 ** at);
});

test('a read is tried again after broken connections', async () => {
  await using f = await startFixture();
  f.server.faults.add({ type: 'reset' });
  f.server.faults.add({ type: 'reset-mid-answer' });
  const list = f.client.list(ConfigMap);
  list.catch(() => {});
  const moments = await attempts(f, () => list);
  assert.equal(moments.length, 3);
  assert.deepEqual((await list).items, []);
});

test('a server that comes up late is still reached', async () => {
  await using f = await startFixture();
  await f.server.refuseConnections();
  const list = f.client.list(ConfigMap);
  list.catch(() => {});
  await until(() => f.clock.pendingTimers > 0);
  await f.server.acceptConnections();
  await f.clock.advance(1000);
  assert.deepEqual((await list).items, []);
});

test('attempts have an end, and the last error is told', async () => {
  await using f = await startFixture({ client: { retry: { attempts: 3 } } });
  f.server.faults.add(failing(503), { times: 9 });
  const list = f.client.list(ConfigMap);
  list.catch(() => {});
  assert.equal((await attempts(f, () => list)).length, 3);
  await assert.rejects(list, (error) => error instanceof ApiError && error.code === 503);
});

test('a write is not tried again after a failure, and the error says that it may have happened', async () => {
  await using f = await startFixture();
  const calls = [
    () => f.client.create(ClusterRole, role),
    () => f.client.update(ClusterRole, role),
    () => f.client.patch(ClusterRole, { name: 'r' }, { type: 'merge', body: {} }),
    () => f.client.delete(ClusterRole, { name: 'r' }),
    () => f.client.deleteCollection(ClusterRole),
  ];
  for (const call of calls) {
    for (const fault of [failing(500), { type: 'reset' } as const]) {
      const before = f.server.requests.length;
      f.server.faults.add(fault);
      await assert.rejects(call(), /the change may have been made all the same/);
      assert.equal(f.server.requests.length - before, 1);
    }
  }
});

test('a write that lost its answer has happened', async () => {
  await using f = await startFixture();
  f.server.faults.add({ type: 'reset-mid-answer' });
  await assert.rejects(f.client.create(ClusterRole, role), ConnectionError);
  assert.equal((await f.client.list(ClusterRole)).items.length, 1);
});

test('every request is tried again when the server says later', async () => {
  await using f = await startFixture();
  const calls = [
    () => f.client.create(ClusterRole, role),
    () => f.client.list(ClusterRole),
    () => f.client.patch(ClusterRole, { name: 'r' }, { type: 'merge', body: {} }),
    () => f.client.delete(ClusterRole, { name: 'r' }),
  ];
  for (const call of calls) {
    f.server.faults.add(failing(429));
    assert.equal((await attempts(f, call)).length, 2);
    f.server.faults.add(failing(503, { 'retry-after': '7' }));
    const [, second] = await attempts(f, call);
    between(second, 7000, 7200);
  }
});

test('a watch too is opened again when the server says later, and only then', async () => {
  await using f = await startFixture();
  f.server.faults.add(failing(429, { 'retry-after': '3' }));
  const watch = f.client.watch(ClusterRole)[Symbol.asyncIterator]();
  const first = watch.next();
  await until(() => f.clock.pendingTimers > 0);
  await f.clock.advance(3200);
  await until(() => f.server.openRequests > 0 && f.cluster.watches.length > 0);
  await f.direct.create(ClusterRole, role);
  assert.equal((await first).value?.type, 'ADDED');
  f.server.faults.add(failing(500));
  await assert.rejects(
    async () => f.client.watch(ClusterRole)[Symbol.asyncIterator]().next(),
    /not now/,
  );
});

test('Retry-After may be a date, or stand in the Status', async () => {
  await using f = await startFixture();
  const date = new Date(f.clock.now() + 20_000).toUTCString();
  f.server.faults.add(failing(429, { 'retry-after': date }));
  between((await attempts(f, () => f.client.list(ClusterRole)))[1], 20_000, 20_200);
  const details = { retryAfterSeconds: 4 };
  f.server.faults.add({ type: 'answer', code: 409, body: { kind: 'Status', details } });
  between((await attempts(f, () => f.client.create(ClusterRole, role)))[1], 4000, 4200);
});

test('nobody waits for longer than a minute because a server says so', async () => {
  await using f = await startFixture();
  f.server.faults.add(failing(503, { 'retry-after': '3600' }));
  await assert.rejects(
    f.client.list(ClusterRole),
    (error: ApiError) => error.retryAfterSeconds === 3600,
  );
  assert.equal(f.server.requests.length, 1);
});

test('what the request itself is wrong about is not tried again', async () => {
  await using f = await startFixture();
  for (const code of [400, 403, 404, 405, 409, 410, 422]) {
    f.server.faults.add(failing(code));
    const before = f.server.requests.length;
    await assert.rejects(f.client.list(ClusterRole), ApiError);
    assert.equal(f.server.requests.length - before, 1);
  }
});
