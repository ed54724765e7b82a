import { Child } from './child.ts';
import { type Benchmark, type Figure, figureOf } from './figure.ts';
import { kueueFigures } from './queues-kueue.ts';
import type { QueuesOrder, QueuesResult } from './queues-protocol.ts';
import { traceFigures } from './queues-trace.ts';

const ORDERS: readonly QueuesOrder[] = [
  { queues: 100, jobs: 10_000 },
  { queues: 1_000, jobs: 100_000 },
  { queues: 10_000, jobs: 1_000_000 },
];

/** A hundred times as many may cost so many times as much: the logarithm doubles, and caches miss more often. */
const MOST_GROWTH = 5;
const MOST_BYTES = 1024;
const MOST_REBUILD_S = 60;

const beside = (
  about: Pick<Figure, 'what' | 'unit' | 'peer'>,
  ours: number,
  theirs: number,
  goal = 1,
): Figure => figureOf({ ...about, better: 'less', goal }, { ours: [ours], theirs: [theirs] });

const scaleFigures = async (): Promise<readonly Figure[]> => {
  const results: QueuesResult[] = [];
  for (const order of ORDERS) {
    using child = new Child<QueuesOrder, QueuesResult>('./queues-run.ts');
    const result = await child.ask(order);
    const { arrivalUs, completionUs } = result;
    console.error(
      `  ${order.jobs.toLocaleString('en')} jobs: ${arrivalUs.toFixed(1)} µs an arrival, ${completionUs.toFixed(1)} µs a completion`,
    );
    results.push(result);
  }
  const [few, , many] = results as [QueuesResult, QueuesResult, QueuesResult];
  const peer = '10,000 in 100';
  const title = '1,000,000 jobs in 10,000 queues';
  const goal = 1 / MOST_GROWTH;
  return [
    beside(
      { what: `arrival, ${title}`, unit: 'µs CPU', peer },
      many.arrivalUs,
      few.arrivalUs,
      goal,
    ),
    beside(
      { what: `completion, ${title}`, unit: 'µs CPU', peer },
      many.completionUs,
      few.completionUs,
      goal,
    ),
    beside(
      { what: `memory, ${title}`, unit: 'bytes each', peer: 'floor' },
      many.bytesPerJob,
      MOST_BYTES,
    ),
    beside(
      { what: `from nothing, ${title}`, unit: 's CPU', peer: 'floor' },
      many.rebuildMs / 1000,
      MOST_REBUILD_S,
    ),
  ];
};

/** The order of the queues alone: how it grows, and what it makes of the loads of others. */
export const queuesBenchmark: Benchmark = {
  name: 'queues',
  run: async () => [
    ...(await scaleFigures()),
    ...kueueFigures(),
    ...traceFigures(process.env.PERIGEE_DATA),
  ],
};
