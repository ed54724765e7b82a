import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '@perigee/kube/client/client';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { ApiError, NotLeaderError } from '@perigee/kube/errors';
import { Lease } from '@perigee/kubernetes/coordination/lease';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { fencedClient } from '../../src/leader-election/fenced-client.ts';
import { LeaderElector } from '../../src/leader-election/leader-elector.ts';
import { MemoryClient } from '../support/memory-client.ts';
import { MemoryCluster } from '../support/memory-cluster.ts';
import { SimulatedProcess } from './simulated-process.ts';

const LEASE = { namespace: 'perigee', name: 'controllers' };
const REF = { namespace: 'default', name: 'it' };

const setUp = async (latencyMs?: () => number) => {
  const clock = new VirtualClock();
  const cluster = new MemoryCluster({ clock, kinds: [Lease, ConfigMap], withoutStatus: [Lease] });
  const process = new SimulatedProcess({
    cluster,
    clock,
    ...(latencyMs === undefined ? {} : { latencyMs }),
  });
  const failures: string[] = [];
  const elector = new LeaderElector({
    client: process.client,
    clock: process.clock,
    lease: LEASE,
    identity: 'a',
    observer: {
      leaderSeen() {},
      elected() {},
      deposed() {},
      attemptFailed: (what, error) => failures.push(`${what}: ${error}`),
    },
  });
  const acquire = async () => {
    const elected = elector.acquire(new AbortController().signal);
    await clock.advance(100);
    return await elected;
  };
  const leadership = await acquire();
  const client = fencedClient(process.client, leadership);
  const admin = new MemoryClient(cluster);
  return { clock, cluster, process, leadership, client, admin, acquire, failures };
};

const WRITES: { readonly [verb: string]: (client: Client) => Promise<unknown> } = {
  create: (client) => client.create(ConfigMap, { metadata: { ...REF, name: 'new' } }),
  update: (client) => client.update(ConfigMap, { metadata: REF }),
  patch: (client) => client.patch(ConfigMap, REF, { type: 'merge', body: {} }),
  delete: (client) => client.delete(ConfigMap, REF),
  deleteCollection: (client) => client.deleteCollection(ConfigMap, { namespace: REF.namespace }),
};

for (const [verb, write] of Object.entries(WRITES)) {
  test(`${verb} passes while the lease is fresh, and is refused after a pause`, async () => {
    const { clock, cluster, process, client, admin } = await setUp();
    await admin.create(ConfigMap, { metadata: REF });
    await write(client);
    await admin.create(ConfigMap, { metadata: { ...REF, name: 'left' } });
    process.pause();
    await clock.advance(10_000);
    const before = cluster.revision;
    await assert.rejects(write(client), NotLeaderError);
    assert.equal(cluster.revision, before);
  });
}

test('the last moment at which a leader that was paused may write is the renew deadline', async () => {
  for (const [pausedMs, refused] of [
    [9_999, false],
    [10_000, true],
  ] as const) {
    const { clock, process, leadership, client } = await setUp();
    await clock.advance(1900);
    process.pause();
    await clock.advance(pausedMs);
    assert.equal(leadership.isCertain, !refused);
    process.resume();
    if (refused) await assert.rejects(async () => WRITES.create?.(client), /another may lead now/);
    else await WRITES.create?.(client);
  }
});

test('the renew deadline counts from when the renewal was sent, not from when it was answered', async () => {
  let latency = 0;
  const { clock, process, leadership } = await setUp(() => latency);
  latency = 2000;
  await clock.runUntil(() => clock.monotonic() >= 6000, 6000);
  process.setPartitioned(true);
  await clock.advanceTo(clock.now() + 5_999);
  assert.equal(leadership.isCertain, true);
  await clock.advance(1);
  assert.equal(leadership.isCertain, false);
});

test('a machine that slept is found out by its wall clock, although its monotonic clock stood still', async () => {
  const { clock, process, client } = await setUp();
  process.jumpWallClock(60_000);
  await assert.rejects(async () => WRITES.create?.(client), NotLeaderError);
  await clock.advance(2000);
  await WRITES.create?.(client);
});

test('a wall clock that is set back changes nothing', async () => {
  const { clock, process, client } = await setUp();
  process.jumpWallClock(-60_000);
  await WRITES.create?.(client);
  process.pause();
  await clock.advance(10_000);
  await assert.rejects(async () => WRITES.create?.(client), NotLeaderError);
});

test('reading goes on without leadership', async () => {
  const { leadership, client, admin } = await setUp();
  await admin.create(ConfigMap, { metadata: REF });
  await leadership.release();
  assert.equal((await client.get(ConfigMap, REF)).metadata.name, 'it');
  assert.equal((await client.list(ConfigMap)).items.length, 1);
  const watch = client.watch(ConfigMap)[Symbol.asyncIterator]();
  assert.equal((await watch.next()).value?.type, 'ADDED');
  await watch.return?.();
  assert.ok((await client.discover()).length > 0);
  assert.ok((await client.version()).gitVersion);
});

test('work left over from an earlier term stays refused when the process leads again', async () => {
  const { client, leadership, acquire, process } = await setUp();
  await leadership.release();
  const second = await acquire();
  await assert.rejects(async () => WRITES.create?.(client), /the lease was released/);
  await WRITES.create?.(fencedClient(process.client, second));
  assert.ok(second.transitions > leadership.transitions);
});

test('a write under way is aborted when the term ends', async () => {
  let latency = 0;
  const { clock, client } = await setUp(() => latency);
  latency = 60_000;
  const outcomes: unknown[] = [];
  WRITES.create?.(client).catch((error) => outcomes.push(error));
  await clock.advance(9_800);
  assert.equal(outcomes.length, 0);
  await clock.advance(200);
  assert.ok(outcomes[0] instanceof NotLeaderError);
});

test('a release while a write is under way leaves the lease to expire', async () => {
  let latency = 0;
  const { clock, client, leadership, admin, failures } = await setUp(() => latency);
  latency = 1000;
  WRITES.create?.(client).catch(() => {});
  const released = leadership.release();
  await clock.advance(2000);
  await released;
  assert.equal((await admin.get(Lease, LEASE)).spec?.holderIdentity, 'a');
  assert.match(failures[0] ?? '', /a write may still be under way, so the lease is left to expire/);
});

test('a write whose answer was lost counts as under way for a while', async () => {
  for (const [waitMs, holder] of [
    [4_999, 'a'],
    [5_000, ''],
  ] as const) {
    const { clock, client, process, leadership, admin } = await setUp();
    process.setPartitioned(true);
    await assert.rejects(async () => WRITES.create?.(client), /the network is cut/);
    process.setPartitioned(false);
    await clock.advance(waitMs);
    await leadership.release();
    assert.equal((await admin.get(Lease, LEASE)).spec?.holderIdentity, holder);
  }
});

test('so does one that a proxy gave up, but not one that the server refused', async () => {
  for (const [code, holder] of [
    [504, 'a'],
    [422, ''],
  ] as const) {
    const { leadership, admin } = await setUp();
    const write = leadership.write(() => Promise.reject(new ApiError({ code })));
    await assert.rejects(write, ApiError);
    await leadership.release();
    assert.equal((await admin.get(Lease, LEASE)).spec?.holderIdentity, holder);
  }
});

test('what the server refuses reaches the caller as it is', async () => {
  const { client } = await setUp();
  await assert.rejects(client.delete(ConfigMap, { name: 'none', namespace: 'x' }), ApiError);
});
