import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { Client } from '@perigee/kube/client/client';
import { Lease } from '@perigee/kubernetes/coordination/lease';
import fc from 'fast-check';
import { leaseOf } from '../../../src/clusters/scheduler-lifecycle/scheduler-lease.ts';
import { addRecord, addWork, startShardedPlane, workOf } from '../../support/schedulers.ts';

type Plane = Awaited<ReturnType<typeof startShardedPlane>>;

/** Counts how often the clusters of each binding change. */
const countDecisions = (client: Client) => {
  const placed = new Map<string, string[]>();
  const end = new AbortController();
  const done = (async () => {
    for await (const event of client.watch(ResourceBinding, { signal: end.signal })) {
      if (event.type === 'BOOKMARK') continue;
      const { metadata, spec } = event.object;
      const where = JSON.stringify(spec.clusters ?? []);
      const history = placed.get(metadata.name) ?? ['[]'];
      if (history.at(-1) !== where) placed.set(metadata.name, [...history, where]);
    }
  })().catch(() => {});
  return {
    placed,
    [Symbol.asyncDispose]: async () => {
      end.abort();
      await done;
    },
  };
};

const crash = async ({ client, schedulers }: Plane, name: string): Promise<void> => {
  const { spec } = await client.get(Lease, leaseOf(name));
  await schedulers.crash(name, async () => {
    await client.patch(Lease, leaseOf(name), { type: 'merge', body: { spec } });
  });
};

const STEPS = ['join', 'leave', 'crash', 'return', 'pause', 'resume', 'work', 'work'] as const;

/** Does one thing to the schedulers, if it can be done. */
const take = async (plane: Plane, step: (typeof STEPS)[number], at: number): Promise<void> => {
  const { schedulers } = plane;
  const running = [...schedulers.running.keys()];
  const victim = running[at % Math.max(1, running.length)] ?? '';
  switch (step) {
    case 'join':
      await plane.addScheduler(`later${at}`);
      break;
    case 'leave':
      if (running.length > 1) await plane.deleteScheduler(victim);
      break;
    case 'crash':
      if (running.length > 1 && (await plane.phaseOf(victim)) === 'Active')
        await crash(plane, victim);
      break;
    case 'return': {
      const [name] = schedulers.crashed;
      if (name !== undefined) schedulers.revive(name);
      break;
    }
    case 'pause':
      schedulers.processes.get(victim)?.pause();
      break;
    case 'resume':
      for (const process of schedulers.processes.values()) process.resume();
      break;
    case 'work':
      await addWork(plane.client, `w${at}`, { replicas: 1 + (at % 5) });
      break;
  }
};

describe('schedulers that come, go, crash and stand still', () => {
  it('schedule everything exactly once', async () => {
    const histories = fc.array(
      fc.record({ step: fc.constantFrom(...STEPS), waitMs: fc.constantFrom(0, 50, 500, 20_000) }),
      { minLength: 3, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        await using plane = await startShardedPlane();
        const { client, pass } = plane;
        for (const name of ['one', 'two']) await plane.addScheduler(name);
        await pass();
        for (let at = 0; at < 4; at += 1)
          await addRecord(client, `c${at}`, { city: `city${at % 2}` });
        await pass();
        await using counted = countDecisions(client);
        for (const [at, { step, waitMs }] of history.entries()) {
          await take(plane, step, at);
          await pass(waitMs);
        }
        for (const process of plane.schedulers.processes.values()) process.resume();
        await pass(120_000);
        for (const [at, { step }] of history.entries()) {
          if (step !== 'work') continue;
          assert.ok((await workOf(client, `w${at}`)).isScheduled, `w${at} was scheduled by nobody`);
          assert.equal(counted.placed.get(`w${at}-deployment`)?.length, 2, `w${at} was moved`);
        }
      }),
      { numRuns: 6 },
    );
  });
});
