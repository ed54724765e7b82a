import { Child } from './child.ts';
import type { DispatchOrder, DispatchResult, JobClass } from './dispatch-protocol.ts';
import { type Benchmark, type Figure, figureOf } from './figure.ts';

const classes = (small: number, medium: number, large: number): readonly JobClass[] => [
  { name: 'small', count: small, everyMs: 100, cpu: 1, runMs: 200, priority: 50 },
  { name: 'medium', count: medium, everyMs: 500, cpu: 5, runMs: 500, priority: 100 },
  { name: 'large', count: large, everyMs: 1200, cpu: 20, runMs: 1000, priority: 200 },
];

/** Two configurations of Kueue's own performance runs, how long Kueue says that it took, and how long we may. */
const RUNS: readonly {
  readonly what: string;
  readonly order: DispatchOrder;
  readonly theirs: number;
  readonly mostSeconds: number;
}[] = [
  {
    what: 'baseline: 15,000 jobs, 30 queues',
    order: { cohorts: 5, queues: 6, nominal: 20, borrowing: 100, classes: classes(350, 100, 50) },
    theirs: 351,
    mostSeconds: 80,
  },
  {
    what: 'large: 50,000 jobs, 1,000 queues',
    order: { cohorts: 10, queues: 100, nominal: 20, borrowing: 100, classes: classes(35, 11, 4) },
    theirs: 1179,
    mostSeconds: 60,
  },
];

const print = (what: string, { waits, cpuSeconds, fullest }: DispatchResult): void => {
  console.error(`  ${what}: ${Math.round(cpuSeconds)} s of CPU`);
  for (const { name, p50Ms, p99Ms } of waits) {
    console.error(
      `  ${what}: ${name} jobs wait ${Math.round(p50Ms)} ms (median), ${Math.round(p99Ms)} ms (99 of 100)`,
    );
  }
  console.error(`  ${what}: the fullest cohort used ${Math.round(fullest * 100)} % of what it has`);
};

/** Time of the jobs of Kueue's performance runs, stored on disk, played in real time. */
export const dispatchKueueBenchmark: Benchmark = {
  name: 'dispatch-kueue',
  run: async () => {
    const figures: Figure[] = [];
    for (const { what, order, theirs, mostSeconds } of RUNS) {
      using child = new Child<DispatchOrder, DispatchResult>('./dispatch-run.ts');
      const result = await child.ask(order);
      print(what, result);
      const peer = 'Kueue, as published';
      const about = { what, unit: 's', better: 'less', peer, goal: theirs / mostSeconds } as const;
      figures.push(figureOf(about, { ours: [result.seconds], theirs: [theirs] }));
    }
    return figures;
  },
};
