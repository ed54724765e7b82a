import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Histories } from './run-histories.ts';

const SEED = Number(process.env.PERIGEE_SEED ?? 20_261_116);
const IN_ONE_PLANE = 250;

/** In a thread of its own: the test runner keeps account of every promise of its thread, which costs a fifth. */
const playInThread = (workerData: readonly Histories[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./histories-worker.ts', import.meta.url), { workerData });
    worker.once('error', reject);
    worker.once('exit', () => resolve());
  });

/** Plays so many histories on all processors. */
export const playHistories = async (count: number): Promise<void> => {
  const planes = Array.from({ length: Math.ceil(count / IN_ONE_PLANE) }, (_, at) => ({
    seed: SEED,
    from: at * IN_ONE_PLANE,
    to: Math.min(count, (at + 1) * IN_ONE_PLANE),
  }));
  const threads = Math.min(availableParallelism(), planes.length);
  await Promise.all(
    Array.from({ length: threads }, (_, thread) =>
      playInThread(planes.filter((_, at) => at % threads === thread)),
    ),
  );
};
