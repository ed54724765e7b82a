import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { openLmdbStore } from '@perigee/apiserver/store/lmdb-store';
import { seededRandom } from '@perigee/kube/clock/seeded-random';
import { valueAfter } from './crash-values.ts';
import { temporaryFolder } from './engines.ts';

const ROUNDS = 6;
const PROGRAM = join(import.meta.dirname, 'crash-writer.ts');

interface Acknowledged {
  readonly key: string;
  readonly write: number;
  readonly revision: number;
}

/** Lets a process write, kills it after so many acknowledgements, and returns all that it printed. */
const writeAndKill = async (path: string, round: number, after: number) => {
  const child = spawn(process.execPath, [PROGRAM, path, String(round), 'Infinity'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = new Promise<string | null>((resolve) => {
    child.on('exit', (_, signal) => resolve(signal));
  });
  const acknowledged: Acknowledged[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const [key = '', write, revision] = line.split(' ');
    // The last line may be cut off: then nobody has seen it.
    if (revision !== undefined && revision !== '') {
      acknowledged.push({ key, write: Number(write), revision: Number(revision) });
    }
    if (acknowledged.length === after) child.kill('SIGKILL');
  }
  assert.equal(await exit, 'SIGKILL');
  return acknowledged;
};

test('a process that is killed loses no write that it acknowledged', async () => {
  const path = temporaryFolder();
  const random = seededRandom(7);
  const last = new Map<string, number>();
  const revisions = new Set<number>();
  let highest = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const acknowledged = await writeAndKill(path, round, 1 + Math.floor(random() * 1500));
    assert.ok(acknowledged.length > 0);
    for (const { key, write, revision } of acknowledged) {
      assert.ok(revision > highest, 'a revision from before the crash was given again');
      assert.ok(!revisions.has(revision));
      revisions.add(revision);
      last.set(key, write);
    }

    await using store = openLmdbStore({ path });
    assert.ok(store.revision >= Math.max(...revisions));
    highest = store.revision;
    for (const [key, write] of last) {
      const { value } = store.get('things', key)?.object ?? {};
      // The write after the last acknowledged one may have reached the disk too.
      const possible = [valueAfter(write), valueAfter(write + 1)];
      assert.ok(
        possible.includes(value as number | undefined),
        `${key} is ${value} not ${possible}`,
      );
    }
  }
});
