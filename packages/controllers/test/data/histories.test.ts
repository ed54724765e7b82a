import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { Histories } from './run-histories.ts';

const HISTORIES = Number(process.env.PERIGEE_HISTORIES ?? 200);
const SEED = Number(process.env.PERIGEE_SEED ?? 20_261_116);
const IN_ONE_PLANE = 100;

/** In a thread of its own: the test runner keeps account of every promise of its thread, which costs a fifth. */
const play = (workerData: readonly Histories[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./histories-worker.ts', import.meta.url), { workerData });
    worker.once('error', reject);
    worker.once('exit', () => resolve());
  });

test(`claims hold in ${HISTORIES} random histories, in any order and over restarts`, async () => {
  const planes = Array.from({ length: Math.ceil(HISTORIES / IN_ONE_PLANE) }, (_, at) => ({
    seed: SEED,
    from: at * IN_ONE_PLANE,
    to: Math.min(HISTORIES, (at + 1) * IN_ONE_PLANE),
  }));
  const threads = Math.min(availableParallelism(), planes.length);
  await Promise.all(
    Array.from({ length: threads }, (_, thread) =>
      play(planes.filter((_, at) => at % threads === thread)),
    ),
  );
});
