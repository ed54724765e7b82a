import { Child } from './child.ts';
import { type Benchmark, type Figure, figureOf } from './figure.ts';
import type { SchedulerCase, SchedulerOrder } from './scheduler-protocol.ts';

const ROUNDS = 3;
const FLOOR = 'floor';
const BINDINGS = 5_000;
/** With its default flags the peer takes ten a second: five thousand would take eight minutes. */
const FEW_BINDINGS = 200;

const LIFTED = ['--kube-api-qps=100000', '--kube-api-burst=100000'];

const ask = async (order: SchedulerOrder): Promise<number> => {
  using child = new Child<SchedulerOrder, number>('./scheduler-run.ts');
  return await child.ask(order);
};

const rounds = async (order: SchedulerOrder, count = ROUNDS): Promise<readonly number[]> => {
  const values: number[] = [];
  for (let round = 0; round < count; round += 1) values.push(await ask(order));
  return values;
};

const beside = (what: string, unit: string, ours: readonly number[], floor: number): Figure =>
  figureOf(
    { what, unit, better: 'more', peer: FLOOR, goal: 1 },
    { ours, theirs: ours.map(() => floor) },
  );

const titleOf = ({ clusters, hasModels, means }: SchedulerCase): string =>
  [
    `${clusters.toLocaleString('en')} clusters`,
    ...(hasModels ? [' with resource models'] : []),
    ...(means === undefined ? [] : [`, ${means}`]),
  ].join('');

/** Decisions alone: a tenth of a second for a thousand clusters would already be slow. */
const DECISIONS: readonly (SchedulerCase & { readonly floor: number })[] = [
  { clusters: 10, bindings: 5_000, hasModels: false, floor: 10_000 },
  { clusters: 100, bindings: 2_000, hasModels: false, floor: 1_000 },
  { clusters: 1_000, bindings: 300, hasModels: false, floor: 100 },
  { clusters: 100, bindings: 2_000, hasModels: true, floor: 1_000 },
  { clusters: 10_000, bindings: 2_000, hasModels: false, means: 'ten by name', floor: 1_000 },
  { clusters: 10_000, bindings: 2_000, hasModels: false, means: 'ten by label', floor: 1_000 },
];

const DURABLE: readonly (SchedulerCase & { readonly floor: number })[] = [
  { clusters: 10, bindings: BINDINGS, hasModels: false, floor: 1_000 },
  { clusters: 100, bindings: BINDINGS, hasModels: false, floor: 1_000 },
  { clusters: 1_000, bindings: 500, hasModels: false, floor: 100 },
  { clusters: 100, bindings: BINDINGS, hasModels: true, floor: 1_000 },
];

/** The same bindings on the same API server, scheduled by a karmada-scheduler. */
const besidePeer = async (binary: string): Promise<readonly Figure[]> => {
  const about = { clusters: 100, hasModels: false };
  const unit = 'bindings/s';
  const few = { ...about, bindings: FEW_BINDINGS };
  const many = { ...about, bindings: BINDINGS };
  const [oursFew, theirsFew] = [
    await rounds({ task: 'schedule', ...few }, 1),
    await rounds({ task: 'peer', binary, flags: [], ...few }, 1),
  ];
  const [oursMany, theirsMany] = [
    await rounds({ task: 'schedule', ...many }, 1),
    await rounds({ task: 'peer', binary, flags: LIFTED, ...many }, 1),
  ];
  const figure = { unit, better: 'more', goal: 10 } as const;
  return [
    figureOf(
      {
        ...figure,
        what: `durable schedules, ${titleOf(few)}`,
        peer: 'karmada-scheduler, default flags',
      },
      { ours: oursFew, theirs: theirsFew },
    ),
    figureOf(
      {
        ...figure,
        what: `durable schedules, ${titleOf(many)}`,
        peer: 'karmada-scheduler, limits lifted',
      },
      { ours: oursMany, theirs: theirsMany },
    ),
  ];
};

/** Rate of scheduling; beside a karmada-scheduler if PERIGEE_BENCH_KARMADA_SCHEDULER names one. */
export const schedulerBenchmark: Benchmark = {
  name: 'scheduler',
  run: async () => {
    const figures: Figure[] = [];
    for (const { floor, ...about } of DECISIONS) {
      const ours = await rounds({ task: 'decide', ...about });
      figures.push(beside(`decisions alone, ${titleOf(about)}`, 'decisions/s', ours, floor));
    }
    for (const { floor, ...about } of DURABLE) {
      const ours = await rounds({ task: 'schedule', ...about });
      figures.push(beside(`durable schedules, ${titleOf(about)}`, 'bindings/s', ours, floor));
    }
    const binary = process.env.PERIGEE_BENCH_KARMADA_SCHEDULER;
    if (binary !== undefined) figures.push(...(await besidePeer(binary)));
    return figures;
  },
};
