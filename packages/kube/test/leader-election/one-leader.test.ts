import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { Lease } from '@perigee/kubernetes/coordination/lease';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import fc from 'fast-check';
import { fencedClient } from '../../src/leader-election/fenced-client.ts';
import { LeaderElector } from '../../src/leader-election/leader-elector.ts';
import type { Leadership } from '../../src/leader-election/leadership.ts';
import { MemoryCluster } from '../support/memory-cluster.ts';
import { SimulatedProcess } from './simulated-process.ts';

const LEASE = { namespace: 'perigee', name: 'controllers' };
const CONTENDERS = 3;

interface Written {
  readonly term: number;
  readonly writer: string;
  readonly at: number;
}

interface Contender {
  readonly process: SimulatedProcess;
  leadership?: Leadership;
}

const step = fc.record({
  who: fc.nat(CONTENDERS - 1),
  afterMs: fc.nat(12_000),
  what: fc.oneof(
    fc.constantFrom('pause', 'resume', 'partition', 'heal', 'release', 'crash'),
    fc.integer({ min: -60_000, max: 60_000 }),
  ),
});

/** A contender that writes as often as it can whenever it thinks that it may. */
const contend = (
  cluster: MemoryCluster,
  clock: VirtualClock,
  writer: string,
  latencyMs: () => number,
  written: Written[],
): Contender => {
  const process = new SimulatedProcess({
    cluster,
    clock,
    latencyMs,
    onWritten: ({ fieldManager }) => {
      if (fieldManager === undefined) return;
      written.push({ term: Number(fieldManager), writer, at: clock.monotonic() });
    },
  });
  const contender: Contender = { process };
  const elector = new LeaderElector({
    client: process.client,
    clock: process.clock,
    lease: LEASE,
    identity: writer,
  });
  const live = async () => {
    for (;;) {
      const leadership = await elector.acquire(new AbortController().signal);
      contender.leadership = leadership;
      const client = fencedClient(process.client, leadership);
      while (!leadership.signal.aborted) {
        const metadata = { namespace: 'default', name: clock.uuid() };
        const options = { fieldManager: `${leadership.transitions}` };
        client.create(ConfigMap, { metadata }, options).catch(() => {});
        await process.clock.sleep(400);
      }
    }
  };
  void live();
  return contender;
};

test('whatever happens to them, never two leaders write at the same time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 25 }),
      fc.integer({ min: 1, max: 1e6 }),
      fc.constantFrom(0, 300, 4_900),
      async (steps, seed, worstLatencyMs) => {
        let longestLatencyMs = worstLatencyMs;
        const clock = new VirtualClock({ seed });
        const kinds = [Lease, ConfigMap];
        const cluster = new MemoryCluster({ clock, kinds, withoutStatus: [Lease] });
        const written: Written[] = [];
        let born = 0;
        const start = () =>
          contend(cluster, clock, `p${born++}`, () => clock.random() * longestLatencyMs, written);
        const contenders = Array.from({ length: CONTENDERS }, start);
        const leader = () => contenders.findIndex((one) => one.leadership?.isCertain);
        for (const { who, afterMs, what } of steps) {
          await clock.advance(afterMs);
          // Half of what happens, happens to the leader.
          const index = afterMs % 2 === 0 && leader() >= 0 ? leader() : who;
          const { process, leadership } = contenders[index] ?? start();
          if (what === 'pause') process.pause();
          else if (what === 'resume') process.resume();
          else if (what === 'partition') process.setPartitioned(true);
          else if (what === 'heal') process.setPartitioned(false);
          else if (what === 'release') void leadership?.release();
          else if (what === 'crash') {
            process.crash();
            contenders[index] = start();
          } else process.jumpWallClock(what);
        }
        longestLatencyMs = 0;
        for (const { process } of contenders) {
          process.setPartitioned(false);
          process.resume();
        }
        await clock.advance(60_000);
        const writers = new Map<number, string>();
        for (const [index, { term, writer, at }] of written.entries()) {
          const before = written[index - 1];
          assert.ok(
            before === undefined || before.term <= term,
            `${writer} of term ${term} wrote at ${at}, after ${before?.writer} of term ${before?.term}`,
          );
          assert.equal(writers.get(term) ?? writer, writer, `two writers in term ${term}`);
          writers.set(term, writer);
        }
        const recent = written.filter(({ at }) => at > clock.monotonic() - 10_000);
        assert.equal(new Set(recent.map(({ writer }) => writer)).size, 1, 'one leader in the end');
      },
    ),
    { numRuns: 40 },
  );
});
