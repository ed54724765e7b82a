import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { realClock } from '@perigee/kube/clock/real-clock';
import {
  type EmbeddedServerOptions,
  startEmbeddedServer,
} from '../../src/embedded/embedded-server.ts';

const clock = realClock;
const MIB = 2 ** 20;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const usedBytes = (): number => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = clock.monotonic();
  await work();
  return clock.monotonic() - start;
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Tells what a further member costs. Times depend on the machine, so only the memory is held to a limit. */
const measureMembers = async (t: TestContext, options: Partial<EmbeddedServerOptions>) => {
  await using server = await startEmbeddedServer({ clock, ...options });
  const open = (name: string) => timed(() => server.openCluster(name));
  for (const name of ['w1', 'w2', 'w3']) await open(name);
  const count = 20;
  const before = usedBytes();
  const times: number[] = [];
  for (let at = 0; at < count; at++) times.push(await open(`m${at}`));
  const mib = (usedBytes() - before) / MIB / count;
  t.diagnostic(`a further member: ${mib.toFixed(2)} MiB, ${median(times).toFixed(1)} ms`);
  assert.ok(mib < 1, `${mib} MiB`);
};

test('a further member costs little memory', (t) => measureMembers(t, {}));

test('a further member with its own roles costs little memory', (t) =>
  measureMembers(t, { access: 'rbac' }));

test('a start serves all members that were there', async (t) => {
  for (const count of [0, 3, 100]) {
    const dataFolder = mkdtempSync(join(tmpdir(), 'perigee-costs-'));
    try {
      const start = () => startEmbeddedServer({ clock, dataFolder });
      {
        await using server = await start();
        const names = Array.from({ length: count }, (_, at) => `m${at}`);
        await Promise.all(names.map((name) => server.openCluster(name)));
      }
      const took = await timed(async () => {
        await using server = await start();
        const served = server.clusters.filter((name) => server.cluster(name) !== undefined);
        assert.equal(served.length, count);
      });
      t.diagnostic(`start and stop with ${count} members: ${took.toFixed(0)} ms`);
    } finally {
      rmSync(dataFolder, { recursive: true });
    }
  }
});
