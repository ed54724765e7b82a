import { NOTHING } from '@perigee/scheduling/queues/amounts';
import type { QueueFacts } from '@perigee/scheduling/queues/queue-facts';
import { ROOT_QUEUE } from '@perigee/scheduling/queues/queue-names';
import { WorkQueues } from '@perigee/scheduling/queues/work-queues';
import { type Figure, figureOf } from './figure.ts';
import { type Machines, quantile, replay, type TraceJob } from './queues-replay.ts';

/** A configuration of the generator with which Kueue measures itself. */
interface Generator {
  readonly name: string;
  readonly cohorts: number;
  readonly queues: number;
  /** Number of jobs of each class for each queue. */
  readonly counts: readonly [small: number, medium: number, large: number];
}

const GENERATORS: readonly Generator[] = [
  { name: 'baseline', cohorts: 5, queues: 6, counts: [350, 100, 50] },
  { name: 'large', cohorts: 10, queues: 100, counts: [35, 11, 4] },
];

const CLASSES = [
  { kind: 'small', cpu: 1, runMs: 200, everyMs: 100, priority: 50 },
  { kind: 'medium', cpu: 5, runMs: 500, everyMs: 500, priority: 100 },
  { kind: 'large', cpu: 20, runMs: 1000, everyMs: 1200, priority: 200 },
] as const;

const NOMINAL = 20;
const BORROWING = 100;

const cpus = (count: number) => new Map([['cpu', count * 1000]]);

const queuesOf = ({ cohorts, queues }: Generator): readonly QueueFacts[] => {
  const common = { weight: 1, priority: 0, isStrict: false, isOpen: true, isReclaimable: true };
  return Array.from({ length: cohorts }, (_, at) => {
    const cohort = `cohort-${at}`;
    return [
      {
        ...{ ...common, name: cohort, parent: ROOT_QUEUE, deserved: NOTHING, guarantee: NOTHING },
        capability: cpus(NOMINAL * queues),
      },
      ...Array.from({ length: queues }, (__, number) => ({
        ...{ ...common, name: `${cohort}-${number}`, parent: cohort, guarantee: NOTHING },
        ...{ deserved: cpus(NOMINAL), capability: cpus(NOMINAL + BORROWING) },
      })),
    ];
  }).flat();
};

const jobsOf = ({ cohorts, queues, counts }: Generator): readonly TraceJob[] => {
  const jobs: TraceJob[] = [];
  for (let cohort = 0; cohort < cohorts; cohort++) {
    for (let number = 0; number < queues; number++) {
      const queue = `cohort-${cohort}-${number}`;
      CLASSES.forEach(({ kind, cpu, runMs, everyMs, priority }, at) => {
        const requests = cpus(cpu);
        for (let count = 0; count < (counts[at] ?? 0); count++) {
          const key = `${queue}/${kind}-${count}`;
          const createdAt = (count + 1) * everyMs;
          const common = { isGang: true, claimsSettled: true, shape: kind };
          jobs.push({
            kind,
            runMs,
            item: { key, queue, priority, createdAt, requests, ...common },
          });
        }
      });
    }
  }
  return jobs.sort((a, b) => a.item.createdAt - b.item.createdAt);
};

/** The least time that any order needs: all the work on all processors, and no job before it comes. */
const floorOf = (jobs: readonly TraceJob[], { cohorts, queues }: Generator): number => {
  const work = jobs.reduce(
    (sum, { item, runMs }) => sum + (Number(item.requests.get('cpu')) / 1000) * runMs,
    0,
  );
  const last = Math.max(...jobs.map(({ item, runMs }) => item.createdAt + runMs));
  return Math.max(work / (cohorts * queues * NOMINAL), last) / 1000;
};

/** As in Kueue's own runs, there are no machines: the queues alone limit what runs. */
const NO_MACHINES: Machines = {
  fits: () => ({ kind: 'fits', clusters: { all: 1 } }),
  start: () => {},
  end: () => {},
  busy: () => 0,
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const playOne = (generator: Generator): readonly Figure[] => {
  const queues = new WorkQueues();
  for (const facts of queuesOf(generator)) queues.setQueue(facts);
  const jobs = jobsOf(generator);
  const { lastMs, waits, cpuMs } = replay(jobs, queues, NO_MACHINES);
  for (const { kind } of CLASSES) {
    const kindWaits = waits.get(kind) ?? [];
    const [half, most] = [quantile(kindWaits, 0.5), quantile(kindWaits, 0.99)];
    console.error(
      `  ${generator.name}, ${kind}: waits ${seconds(half)} (half), ${seconds(most)} (99 of 100)`,
    );
  }
  const title = `Kueue's ${generator.name} load, ${jobs.length.toLocaleString('en')} jobs`;
  return [
    figureOf(
      { what: `${title}, by the clock`, unit: 's', better: 'less', peer: 'floor', goal: 0.8 },
      { ours: [lastMs / 1000], theirs: [floorOf(jobs, generator)] },
    ),
    figureOf(
      { what: `${title}, decisions`, unit: 'µs each', better: 'less', peer: 'floor', goal: 1 },
      { ours: [(cpuMs * 1000) / jobs.length], theirs: [1000] },
    ),
  ];
};

/** Kueue's loads on the order of the queues alone, on a virtual clock. */
export const kueueFigures = (): readonly Figure[] => GENERATORS.flatMap(playOne);
