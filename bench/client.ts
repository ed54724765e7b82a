import { Child } from './child.ts';
import { type Address, LISTED_PODS, type Order, type Outcome } from './client-protocol.ts';
import { type Benchmark, type Figure, figureOf } from './figure.ts';

type Worker = Child<Order, Outcome>;

interface Measure {
  readonly what: string;
  readonly unit: string;
  readonly better: Figure['better'];
  readonly goal: number;
  readonly ours: Order;
  readonly theirs: Order;
  readonly value: (outcome: Outcome) => number;
}

const ROUNDS = 7;
const PEER = '@kubernetes/client-node 2.0.1';

const perCpuSecond = ({ doneCount, cpuSeconds }: Outcome): number => doneCount / cpuSeconds;
const both = (order: Order) => ({ ours: order, theirs: order });

const MEASURES: readonly Measure[] = [
  {
    what: 'requests over TLS',
    unit: 'requests/s',
    better: 'more',
    goal: 8,
    // The peer is so much slower that fewer of its requests take the same time.
    ours: { task: 'requests', count: 1600 },
    theirs: { task: 'requests', count: 160 },
    value: ({ doneCount, seconds }) => doneCount / seconds,
  },
  {
    what: 'watch events',
    unit: 'CPU µs/event',
    better: 'less',
    goal: 1,
    ...both({ task: 'watch', count: 20_000 }),
    value: ({ doneCount, cpuSeconds }) => (cpuSeconds / doneCount) * 1e6,
  },
  {
    what: `lists of ${LISTED_PODS} pods`,
    unit: 'objects/CPU s',
    better: 'more',
    goal: 2,
    ...both({ task: 'list', count: 5 }),
    value: perCpuSecond,
  },
];

/** A contender that gets less than it asked for has measured something else. */
const run = async (worker: Worker, order: Order): Promise<Outcome> => {
  const outcome = await worker.ask(order);
  const expectedCount = order.task === 'list' ? order.count * LISTED_PODS : order.count;
  if (outcome.doneCount !== expectedCount) {
    throw new Error(`${outcome.doneCount} instead of ${expectedCount} came of ${order.task}`);
  }
  return outcome;
};

const measure = async (measured: Measure, ours: Worker, theirs: Worker): Promise<Figure> => {
  const values = { ours: [] as number[], theirs: [] as number[] };
  await run(ours, measured.ours);
  await run(theirs, measured.theirs);
  for (let round = 0; round < ROUNDS; round++) {
    values.ours.push(measured.value(await run(ours, measured.ours)));
    values.theirs.push(measured.value(await run(theirs, measured.theirs)));
  }
  return figureOf({ ...measured, peer: PEER }, values);
};

/** The HTTP client beside the client that Node programs commonly use. */
export const clientBenchmark: Benchmark = {
  name: 'client',
  run: async () => {
    using server = new Child<never, Address>('./client-server.ts');
    const address = await server.answer();
    using ours: Worker = new Child('./client-worker.ts', 'ours', address.server, address.ca);
    using theirs: Worker = new Child(
      './client-worker.ts',
      'client-node',
      address.server,
      address.ca,
    );
    const figures: Figure[] = [];
    for (const entry of MEASURES) figures.push(await measure(entry, ours, theirs));
    return figures;
  },
};
