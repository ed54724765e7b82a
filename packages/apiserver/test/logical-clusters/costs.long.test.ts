import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { startEmbeddedServer } from '../../src/embedded/embedded-server.ts';

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = clock.monotonic();
  await work();
  return clock.monotonic() - start;
};

/** Tells what a further member costs. Times depend on the machine, so only the memory is held to a limit. */
const measureMembers = async (t: TestContext, ...args: readonly string[]) => {
  const program = fileURLToPath(new URL('./member-costs.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args]);
  const { mib, ms } = JSON.parse(stdout) as { readonly mib: number; readonly ms: number };
  t.diagnostic(`a further member: ${mib.toFixed(2)} MiB, ${ms.toFixed(1)} ms`);
  assert.ok(mib < 1, `${mib} MiB`);
};

test('a further member costs little memory', (t) => measureMembers(t));

test('a further member with its own roles costs little memory', (t) => measureMembers(t, 'rbac'));

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
