import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Benchmark, type Figure, figureOf } from './figure.ts';
import { memoryOf } from './process-usage.ts';

const LAUNCHER = new URL('../perigee', import.meta.url).pathname;
const ARGS = ['up', '--ephemeral', '--port', '0'];
/** V8 returns what the start took within that time. */
const UNTIL_IDLE_MS = 30_000;
const ROUNDS = 3;
const LIMIT_MB = 150;

const measure = async (): Promise<{ readonly all: number; readonly ofFiles: number }> => {
  const up = spawn(LAUNCHER, ARGS, { stdio: ['ignore', 'pipe', 'ignore'] });
  const exit = once(up, 'exit');
  try {
    // It has started when it greets.
    await Promise.race([
      once(up.stdout, 'data'),
      exit.then(() => Promise.reject(new Error('perigee up ended in the middle of the benchmark'))),
    ]);
    up.stdout.resume();
    await sleep(UNTIL_IDLE_MS);
    return memoryOf(up.pid ?? 0);
  } finally {
    up.kill('SIGINT');
    await exit;
  }
};

/** Memory of an idle `perigee up`. Linux only. */
export const idleBenchmark: Benchmark = {
  name: 'idle',
  run: async (): Promise<readonly Figure[]> => {
    // The first start after a change compiles what later ones find in the cache.
    await measure();
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { all, ofFiles } = await measure();
      console.log(`  ${all.toFixed(0)} MB, of which ${ofFiles.toFixed(0)} MB are pages of files`);
      rounds.push(all);
    }
    const about = { what: 'perigee up, idle', unit: 'MB', better: 'less' } as const;
    const limits = rounds.map(() => LIMIT_MB);
    return [figureOf({ ...about, peer: 'floor', goal: 1 }, { ours: rounds, theirs: limits })];
  },
};
