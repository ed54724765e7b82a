import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { NotLeaderError } from '@perigee/kube/errors';
import { Lease } from '@perigee/kubernetes/coordination/lease';
import { LeaderElector } from '../../src/leader-election/leader-elector.ts';
import type { Leadership } from '../../src/leader-election/leadership.ts';
import { MemoryClient } from '../support/memory-client.ts';
import { MemoryCluster } from '../support/memory-cluster.ts';
import { SimulatedProcess } from './simulated-process.ts';

const LEASE = { namespace: 'perigee', name: 'controllers' };

interface Contender {
  readonly process: SimulatedProcess;
  readonly elector: LeaderElector;
  readonly deposed: string[];
  leadership?: Leadership;
  electedAt?: number;
}

const setUp = (start = Date.UTC(2026, 0, 1)) => {
  const clock = new VirtualClock({ start });
  const cluster = new MemoryCluster({ clock, kinds: [Lease], withoutStatus: [Lease] });
  const admin = new MemoryClient(cluster);
  const stop = new AbortController();
  const contend = (identity: string, process = new SimulatedProcess({ cluster, clock })) => {
    const deposed: string[] = [];
    const elector = new LeaderElector({
      client: process.client,
      clock: process.clock,
      lease: LEASE,
      identity,
      observer: {
        leaderSeen() {},
        elected() {},
        deposed: (reason) => deposed.push(reason.message),
        attemptFailed() {},
      },
    });
    const contender: Contender = { process, elector, deposed };
    void elector.acquire(stop.signal).then(
      (leadership) => {
        contender.leadership = leadership;
        contender.electedAt = clock.monotonic();
      },
      () => {},
    );
    return contender;
  };
  const stored = async () => (await admin.get(Lease, LEASE)).spec;
  return { clock, cluster, admin, stop, contend, stored };
};

test('the first contender leads and renews the lease every retry period', async () => {
  const { clock, contend, stored } = setUp(Date.UTC(2026, 0, 1) + 0.123);
  const a = contend('a');
  await clock.advance(0);
  assert.deepEqual(await stored(), {
    holderIdentity: 'a',
    leaseDurationSeconds: 15,
    acquireTime: '2026-01-01T00:00:00.000123Z',
    renewTime: '2026-01-01T00:00:00.000123Z',
    leaseTransitions: 0,
  });
  await clock.advance(5000);
  assert.deepEqual(await stored(), {
    holderIdentity: 'a',
    leaseDurationSeconds: 15,
    acquireTime: '2026-01-01T00:00:00.000123Z',
    renewTime: '2026-01-01T00:00:04.000123Z',
    leaseTransitions: 0,
  });
  assert.equal(a.leadership?.isCertain, true);
  assert.equal(a.elector.leader, 'a');
});

test('nobody else leads while the leader renews, however wrong the clocks are', async () => {
  const { clock, cluster, contend } = setUp();
  const behind = new SimulatedProcess({ cluster, clock });
  behind.jumpWallClock(-3_600_000);
  const ahead = new SimulatedProcess({ cluster, clock });
  ahead.jumpWallClock(86_400_000);
  const a = contend('a', behind);
  await clock.advance(1);
  const b = contend('b', ahead);
  await clock.advance(300_000);
  assert.equal(a.leadership?.isCertain, true);
  assert.equal(b.leadership, undefined);
  assert.equal(b.elector.leader, 'a');
});

test('after a crash the next contender leads within lease duration plus retry period', async () => {
  for (let crashAt = 20_000; crashAt < 24_000; crashAt += 370) {
    const { clock, contend, stored } = setUp();
    const a = contend('a');
    await clock.advance(1);
    const b = contend('b');
    await clock.advance(crashAt);
    a.process.crash();
    const crashed = clock.monotonic();
    await clock.advance(20_000);
    const took = (b.electedAt ?? Number.NaN) - crashed;
    assert.ok(took > 10_000 && took <= 17_000, `it took ${took} ms`);
    assert.equal((await stored())?.holderIdentity, 'b');
    assert.equal((await stored())?.leaseTransitions, 1);
  }
});

test('after a release the next contender leads at once', async () => {
  const { clock, contend, stored } = setUp();
  const a = contend('a');
  await clock.advance(1);
  const b = contend('b');
  await clock.advance(10_000.5);
  const releasedAt = clock.monotonic();
  await a.leadership?.release();
  await clock.advance(0);
  assert.equal(b.electedAt, releasedAt);
  assert.equal((await stored())?.holderIdentity, 'b');
  assert.equal((await stored())?.leaseTransitions, 1);
  assert.deepEqual(a.deposed, ['the lease was released']);
});

test('a release leaves the lease with nobody', async () => {
  const { clock, contend, stored } = setUp();
  const a = contend('a');
  await clock.advance(3000);
  await a.leadership?.release();
  assert.deepEqual(await stored(), {
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: '2026-01-01T00:00:03.000000Z',
    renewTime: '2026-01-01T00:00:03.000000Z',
    leaseTransitions: 0,
  });
  assert.equal(clock.pendingTimers, 0);
});

test('without a watch, a release is seen at the next look', async () => {
  const { clock, cluster, contend } = setUp();
  const a = contend('a');
  await clock.advance(1);
  const b = contend('b');
  await clock.advance(10_000);
  for (const watch of cluster.watches) watch.stall();
  const releasedAt = clock.monotonic();
  await a.leadership?.release();
  await clock.advance(2000);
  const took = (b.electedAt ?? Number.NaN) - releasedAt;
  assert.ok(took > 0 && took <= 2000, `it took ${took} ms`);
});

test('a leader that is cut off steps down before anybody else can lead', async () => {
  const { clock, contend } = setUp();
  const a = contend('a');
  await clock.advance(1);
  const b = contend('b');
  await clock.advance(30_000);
  a.process.setPartitioned(true);
  const cutAt = clock.monotonic();
  await clock.runUntil(() => a.leadership?.signal.aborted === true, 20_000);
  const steppedDownAt = clock.monotonic();
  assert.ok(steppedDownAt - cutAt <= 10_000);
  await clock.runUntil(() => b.leadership !== undefined, 20_000);
  assert.ok((b.electedAt ?? 0) - steppedDownAt >= 5000);
  assert.match(a.deposed[0] ?? '', /not renewed for 10 s/);
  assert.ok(a.leadership?.signal.reason instanceof NotLeaderError);
});

test('a short interruption does not end the term', async () => {
  const { clock, contend } = setUp();
  const a = contend('a');
  const b = contend('b');
  await clock.advance(30_000);
  const [leader, other] = a.leadership ? [a, b] : [b, a];
  leader.process.setPartitioned(true);
  await clock.advance(7000);
  leader.process.setPartitioned(false);
  await clock.advance(60_000);
  assert.equal(leader.leadership?.isCertain, true);
  assert.equal(other.leadership, undefined);
});

test('somebody who edits the lease does not depose its holder, and the edit stays', async () => {
  const { clock, admin, contend } = setUp();
  const a = contend('a');
  await clock.advance(1000);
  const body = { metadata: { labels: { seen: 'yes' } } };
  await admin.patch(Lease, LEASE, { type: 'merge', body });
  await clock.advance(2000);
  const lease = await admin.get(Lease, LEASE);
  assert.equal(a.leadership?.isCertain, true);
  assert.equal(lease.spec?.renewTime, '2026-01-01T00:00:02.000000Z');
  assert.deepEqual(lease.metadata.labels, { seen: 'yes' });
});

test('a leader whose lease was taken away steps down at its next renewal', async () => {
  for (const [holderIdentity, reason] of [
    ['usurper', 'the lease was taken by "usurper"'],
    ['', 'the lease was released by somebody else'],
  ] as const) {
    const { clock, admin, contend } = setUp();
    const a = contend('a');
    await clock.advance(1000);
    await admin.patch(Lease, LEASE, { type: 'merge', body: { spec: { holderIdentity } } });
    await clock.advance(1000);
    assert.deepEqual(a.deposed, [reason]);
  }
});

test('a lease that is deleted stays with its holder', async () => {
  const { clock, admin, contend, stored } = setUp();
  const a = contend('a');
  await clock.advance(1);
  const b = contend('b');
  await clock.advance(10_000);
  await admin.delete(Lease, LEASE);
  await clock.advance(60_000);
  assert.equal(a.leadership?.isCertain, true);
  assert.equal(b.leadership, undefined);
  assert.equal((await stored())?.holderIdentity, 'a');
});

test('of two that acquire the lease at once, one leads', async () => {
  const { clock, contend } = setUp();
  const contenders = ['a', 'b', 'c'].map((identity) => contend(identity));
  await clock.advance(10_000);
  const elected = contenders.filter(({ leadership }) => leadership !== undefined);
  assert.equal(elected.length, 1);
});

test('an aborted contender stops and leaves nothing behind', async () => {
  const { clock, contend, stop, cluster } = setUp();
  const a = contend('a');
  await clock.advance(1);
  contend('b');
  await clock.advance(5000);
  stop.abort(new Error('enough'));
  await clock.advance(0);
  await a.leadership?.release();
  assert.equal(clock.pendingTimers, 0);
  assert.equal(cluster.watches.length, 0);
});

test('a process that contends again while it still releases keeps its new term', async () => {
  const { clock, cluster, contend, stored } = setUp();
  const a = contend('a', new SimulatedProcess({ cluster, clock, latencyMs: () => 300 }));
  await clock.advance(5000);
  void a.leadership?.release();
  const again = a.elector.acquire(new AbortController().signal);
  await clock.advance(10_000);
  assert.equal((await again).isCertain, true);
  assert.equal((await stored())?.holderIdentity, 'a');
  assert.equal((await again).transitions, 1);
});

test('one elector contends once at a time, so it never has two terms', async () => {
  const { clock, contend, stop } = setUp();
  const a = contend('a');
  await assert.rejects(a.elector.acquire(stop.signal), /contends already/);
  await clock.advance(0);
  const first = a.leadership;
  const again = a.elector.acquire(stop.signal);
  await clock.advance(0);
  const second = await again;
  assert.deepEqual([first?.isCertain, second.isCertain], [false, true]);
});

test('durations that cannot be safe are refused', () => {
  const { clock, admin } = setUp();
  const base = { client: admin, clock, lease: LEASE, identity: 'a' };
  assert.throws(
    () => new LeaderElector({ ...base, leaseDurationMs: 10_000 }),
    /lease duration \(10000 ms\), renew deadline \(10000 ms\) and retry period \(2000 ms\) must each/,
  );
  assert.throws(() => new LeaderElector({ ...base, retryPeriodMs: 0 }), RangeError);
  assert.throws(() => new LeaderElector({ ...base, identity: '' }), /identity/);
});
