import { spawnSync } from 'node:child_process';
import { Child } from './child.ts';
import { type Benchmark, type Figure, figureOf } from './figure.ts';
import type { PlanAnswer, PlanOrder } from './plan-protocol.ts';

const ROUNDS = 5;
const EXPLAIN_LIMIT_MS = 1000;
const PLAN_LIMIT_MS = 5000;
const LAUNCHER = new URL('../perigee', import.meta.url).pathname;

/** From the Enter key to the next prompt. A forecast ends with the exit code 2. */
const time = (args: readonly string[], kubeconfig: string, status: number): number => {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, KUBECONFIG: kubeconfig };
  const before = performance.now();
  const { status: actual, stderr } = spawnSync(LAUNCHER, args, { env, encoding: 'utf8' });
  if (actual !== status)
    throw new Error(`perigee ${args.join(' ')} ended with ${actual}: ${stderr}`);
  return performance.now() - before;
};

const times = (args: readonly string[], kubeconfig: string, status = 0): readonly number[] => {
  time(args, kubeconfig, status);
  return Array.from({ length: ROUNDS }, () => time(args, kubeconfig, status));
};

const besides = (what: string, ours: readonly number[], peer: string, theirs: number): Figure =>
  figureOf(
    { what, unit: 'ms', better: 'less', peer, goal: 1 },
    { ours, theirs: ours.map(() => theirs) },
  );

/** `perigee explain` and `perigee plan --lose` with 1,000 clusters and 10,000 workloads, beside what is foretold. */
export const planBenchmark: Benchmark = {
  name: 'plan',
  run: async (): Promise<readonly Figure[]> => {
    using server = new Child<PlanOrder, PlanAnswer>('./plan-server.ts');
    const ready = await server.answer();
    if (ready.kind !== 'ready') throw new Error('the server is not ready');
    const { kubeconfig, lost } = ready;
    const placedTimes = times(['explain', 'deployment/w0'], kubeconfig);
    const stuck = times(['explain', 'deployment/stuck'], kubeconfig);
    const plans = times(['plan', '--lose', lost], kubeconfig, 2);
    const moveAnswer = await server.ask({ lose: lost });
    if (moveAnswer.kind !== 'moved') throw new Error('the server did not move anything');
    return [
      besides('explain, placed work', placedTimes, 'the limit', EXPLAIN_LIMIT_MS),
      besides('explain, stuck work', stuck, 'the limit', EXPLAIN_LIMIT_MS),
      besides(`plan --lose ${lost}`, plans, 'the limit', PLAN_LIMIT_MS),
      besides(`plan --lose ${lost}`, plans, 'the moves themselves', moveAnswer.ms),
    ];
  },
};
